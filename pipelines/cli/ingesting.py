"""Commands on landing files and what they delivered."""

import sys
from dataclasses import asdict, fields
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.pipelines import config
from windrow.pipelines.cli import _output
from windrow.pipelines.cli._options import AsJson, AssetEvents, EngineName, RunId, StreamName, day_option, examples
from windrow.pipelines.cli._progress import progress
from windrow.pipelines.report.words import length
from windrow.schemas import registry
from windrow.schemas.errors import WrongParameter

if TYPE_CHECKING:
    from windrow.pipelines.ingest.outcome import IngestReport
    from windrow.pipelines.ingest.profile import Spread

commands = typer.Typer()


@commands.command(epilog=examples("windrow ingest bikes"))
def ingest(
    stream: StreamName,
    day: Annotated[date | None, day_option("--day", help="Also check the silver rows of this arrival day.")] = None,
    verify_content: Annotated[
        bool, typer.Option("--verify-content", help="Also read files whose size and time are as before.")
    ] = False,
    run_id: RunId = None,
    engine: EngineName = None,
    asset_events: AssetEvents = None,
    as_json: AsJson = False,
) -> None:
    """Bring a stream's tables up to date with its landing files.

    Each arrival day that a new, changed or vanished file touches is made again."""
    from windrow.pipelines.runs.ingest_day import ingest_day, open_windows

    chosen = config.load(engine=engine)
    with progress() as show:
        report = ingest_day(chosen, stream, day, run_id, show, verify_content)
    _output.write_asset_events(asset_events, _asset_events(report, day))
    _show_report(report, as_json)
    if report.touched_days:
        for sentence in open_windows(chosen, stream):
            _output.note(sentence)


def _asset_events(report: "IngestReport", day: date | None) -> dict[str, dict]:
    """Of bronze where files are new, of silver where events are; what an ingest took has passed the gate, or it ends
    with an error."""
    from windrow.pipelines.ingest.files import ACCEPTED, REFUSED
    from windrow.pipelines.ledger.verdicts import PASSED

    bronze, silver = f"bronze_{report.stream}", f"silver_{report.stream}"
    found: dict[str, dict] = {}
    if any(row.lines for row in report.files if row.state in (ACCEPTED, REFUSED)):
        found[bronze] = {"day": day, "files": len(report.files), "version": report.snapshot.version(bronze)}
    if report.touched_days:
        days = {"first_touched_day": report.touched_days[0], "last_touched_day": report.touched_days[-1]}
        rows = {"rows": report.accepted, "refused": sum(report.refused.values())}
        version = report.snapshot.version(silver)
        found[silver] = {"day": day, **rows, "verdict": PASSED, "version": version, **days}
    return found


def _show_report(report: "IngestReport", as_json: bool) -> None:
    """What an ingest did, with its messages."""
    if as_json:
        _output.show_json(asdict(report))
        return
    for message in report.messages:
        _output.note(message)
    for warning in report.warnings:
        _output.warn(warning)
    _output.show_facts(_brief(report), as_json)


def _brief(report: "IngestReport") -> dict:
    """Of hundreds of files and days only how many, and from when to when."""
    days = report.touched_days
    touched = f"{len(days)}, from {days[0]} to {days[-1]}" if days else "none: nothing is new"
    return {
        "stream": report.stream,
        "files": len(report.files),
        "accepted": report.accepted,
        "refused": report.refused,
        "arrival_days": touched,
        "seconds": round(report.seconds, 1),
    }


@commands.command(
    epilog=examples(
        "windrow forget bikes/citibike-nyc-2017/trips-2017-06-01.csv.gz",
        """windrow forget --where "subscriber = 'a1b2'" --stream cdr""",
    )
)
def forget(
    path: Annotated[
        str | None, typer.Argument(metavar="[PATH]", help="The file's path below the landing folder.")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="CONDITION", help="A person's values of personal columns; - reads stdin."),
    ] = None,
    stream: Annotated[str | None, typer.Option("--stream", help="With --where: the stream of these columns.")] = None,
    leave_file: Annotated[
        bool,
        typer.Option("--leave-file", help="Leave the file in the landing folder. It counts again once it changes."),
    ] = False,
    run_id: RunId = None,
    engine: EngineName = None,
    as_json: AsJson = False,
) -> None:
    """Remove from the lake what a landing file delivered, or all events of a person.

    Move the file out of the landing folder first, or give --leave-file. With --where a
    receipt says what was erased, and that no file of the lake has the values any more."""
    from windrow.pipelines.runs.ingest_day import forget as run

    if (path is None) == (where is None):
        raise WrongParameter("PATH", path, "a landing file, or else --where CONDITION")
    if stream is not None and where is None:
        raise WrongParameter("--stream", stream, "left out: it belongs to --where")
    if leave_file and path is None:
        raise WrongParameter("--leave-file", leave_file, "left out: it belongs to PATH")
    chosen = config.load(engine=engine)
    if where is not None:
        _erase(chosen, sys.stdin.read().strip() if where == "-" else where, stream, run_id, as_json)
        return
    assert path is not None, "one of the two is given"
    with progress() as show:
        report = run(chosen, path, leave_file, run_id, show)
    _show_report(report, as_json)


def _erase(chosen: config.Config, where: str, stream: str | None, run_id: str | None, as_json: bool) -> None:
    from windrow.pipelines.erasure.erase import erase

    # Locks, and reports of what went wrong, name the command that this process is.
    sys.argv[1:] = [word.replace(where, "…") for word in sys.argv[1:]]
    with progress() as show:
        receipt = erase(chosen, where, stream, run_id, show)
    if as_json:
        _output.show_json(asdict(receipt))
    else:
        _output.show_facts(receipt.facts, as_json)
    if not receipt.lines:
        _output.warn(f"no line of {receipt.stream} had a value: if one was to be there, look at how lines write it")
    for path, count in receipt.landing.items():
        _output.warn(f"{path}, in the landing folder, still has {count:,} of the lines; put a file without them there")
    receipt.require()


@commands.command(epilog=examples("windrow profile bikes"))
def profile(stream: StreamName, as_json: AsJson = False) -> None:
    """Describe the events of an ingested stream.

    For each folder of its files: how many events, and how disordered, bursty, long and dirty they are."""
    from windrow.pipelines.delta.lake import Lake
    from windrow.pipelines.ingest import profile as profiles
    from windrow.pipelines.tables.stream_tables import StreamTables

    found = profiles.profile(Lake(config.load()), StreamTables.of(registry.stream(stream)))
    if as_json:
        _output.show_json([asdict(each) for each in found])
        return
    names = [field.name for field in fields(profiles.Profile) if field.name != "folder"]
    rows = [{"": _named(name), **{each.folder: _shown(name, getattr(each, name)) for each in found}} for name in names]
    _output.show(rows, as_json)
    if not found:
        _output.note(f"stream {stream} has no events and no refused records yet")


def _named(name: str) -> str:
    words = name.removesuffix("_s").replace("_", " ")
    return f"{words}: median / p99 / max" if name in ("d", "lag_s", "duration_s") else words


def _shown(name: str, value: "float | str | dict[str, int] | Spread | None") -> str:
    """A figure for people: shares in percent, seconds with a unit that fits."""
    if value is None or isinstance(value, str):
        return "-" if value is None else value
    if isinstance(value, dict):
        return ", ".join(f"{reason} {count:,}" for reason, count in value.items()) or "none"
    if not isinstance(value, int | float):
        show = length if name.endswith("_s") else "{:,.0f}".format
        return " / ".join(map(show, (value.median, value.p99, value.maximum)))
    if name.endswith("_s"):
        return length(value)
    return f"{value:,}" if isinstance(value, int) else f"{100 * value:.1f} %"
