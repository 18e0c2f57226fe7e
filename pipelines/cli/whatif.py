from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._options import AsJson, QueryName, day_option, read_length
from pipelines.cli._progress import progress
from pipelines.report.words import length
from schemas.spelling import in_words

if TYPE_CHECKING:
    from pipelines.lateness.whatif import CurvePoint, LatenessCurve

EXAMPLES = ("windrow whatif bikes_demand", "windrow whatif bikes_demand --lateness 10min --complete 0.999")


def whatif(
    query: QueryName,
    first: Annotated[date | None, day_option("--from", help="First arrival day; the first that there is.")] = None,
    last: Annotated[date | None, day_option("--to", help="Last arrival day; the last that there is.")] = None,
    complete: Annotated[
        float, typer.Option(min=0, max=1, help="The share of windows that is to be complete on time.")
    ] = 0.99,
    lateness: Annotated[
        list[timedelta] | None,
        typer.Option(parser=read_length, metavar="LENGTH", help="One more lateness, such as 90s, 10min, 2h or 1d."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What another lateness would have cost: from one pass over the events, how complete the rows on time would have
    been with each lateness, and how long they would have taken; with a recommendation. The events of the days asked
    for are taken for the whole stream. Also kept as table lateness_QUERY."""
    from pipelines import config
    from pipelines.lateness.whatif import LatenessQuestion
    from pipelines.lateness.whatif import whatif as run

    asked = LatenessQuestion(first, last, complete, tuple(lateness or ()))
    with progress() as show:
        show(f"{query}: what each event needed")
        found = run(config.load(), query, asked)
    _output.show([found.row(point) if as_json else _row(found, point) for point in found.points], as_json)
    if not as_json:
        _output.note(_recommendation(found))


def _row(found: "LatenessCurve", point: "CurvePoint") -> dict:
    marks = {"as defined": found.own_us, "recommended": found.recommended_us}
    return {
        "lateness": _in_words(point.lateness_us),
        "windows": point.windows,
        "complete on time": f"{point.complete_share:.3%}",
        "events on time": f"{point.on_time_share:.3%}",
        "late events": point.late_events,
        "delay": length(point.delay_median_seconds),
        "": "; ".join(mark for mark, lateness_us in marks.items() if lateness_us == point.lateness_us) or None,
    }


def _recommendation(found: "LatenessCurve") -> str:
    span = str(found.first) if found.first == found.last else f"{found.first} to {found.last}"
    best, own = _in_words(found.recommended_us), _in_words(found.own_us)
    return (
        f"{found.query.name}, events that arrived {span}: a lateness of {best} makes at least "
        f"{100 * found.complete:g} % of the windows complete on time; as defined it is {own}"
    )


def _in_words(lateness_us: int) -> str:
    return in_words(timedelta(microseconds=lateness_us))
