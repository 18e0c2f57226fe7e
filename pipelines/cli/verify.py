from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._errors import DEFECT
from pipelines.cli._options import AsJson, EngineName, MostRows, MostSeconds, query_argument, settings_of_replay
from pipelines.cli._progress import progress

if TYPE_CHECKING:
    from pipelines.upkeep.verify import Compared

Names = Annotated[list[str] | None, query_argument("[QUERY]...", "Only these queries.", show_default="all published")]

EXAMPLES = ("windrow verify bikes_demand --days 3",)


def verify(
    queries: Names = None,
    days: Annotated[int, typer.Option(min=1, help="How many published days of each query, the newest.")] = 3,
    engine: EngineName = None,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    as_json: AsJson = False,
) -> int:
    """Prove on this lake that rows depend on nothing but events and query: the newest published days are replayed in
    every order, two at a time, in more tasks, after a kill, and from files that are ingested again. All of it in a lake
    of its own, which goes in the end; exit code 1 where any row differs."""
    from pipelines.upkeep.verify import DIFFERS
    from pipelines.upkeep.verify import verify as run

    settings = settings_of_replay(engine, most_rows, most_seconds)
    with progress() as show:
        compared = list(run(settings, queries or [], days, lambda text: show(text)))
    _output.show([dict(vars(each)) if as_json else _row(each) for each in compared], as_json)
    differ = [each for each in compared if each.result == DIFFERS]
    for each in differ:
        for difference in each.differences:
            _output.note(f"error: {each.query}, {each.way}: {difference}")
    return DEFECT if differ else 0


def _row(each: "Compared") -> dict:
    span = str(each.first) if each.days == 1 else f"{each.days}, {each.first} to {each.last}"
    return {
        "query": each.query,
        "days": span,
        "made": each.way,
        "result": each.result,
        "rows": each.rows,
        "late": each.late_rows,
        "seconds": None if each.seconds is None else round(each.seconds, 1),
        "why": each.why or "; ".join(each.differences) or None,
    }
