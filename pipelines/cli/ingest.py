from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._options import AsJson, AssetEvents, EngineName, RunId, StreamName, day_option
from pipelines.cli._progress import progress

if TYPE_CHECKING:
    from pipelines.ingest.outcome import IngestReport

EXAMPLES = ("windrow ingest bikes",)


def ingest(
    stream: StreamName,
    day: Annotated[date | None, day_option("--day", help="Also check the silver rows of this arrival day.")] = None,
    verify_content: Annotated[
        bool, typer.Option("--verify-content", help="Read all landing files, also those of the same size and time.")
    ] = False,
    run_id: RunId = None,
    engine: EngineName = None,
    asset_events: AssetEvents = None,
    as_json: AsJson = False,
) -> None:
    """Bring a stream's tables up to date with its landing files, whatever days they touch."""
    from pipelines import config
    from pipelines.runs.ingest_day import ingest_day, open_windows

    chosen = config.load(engine=engine)
    with progress() as show:
        report = ingest_day(chosen, stream, day, run_id, show, verify_content)
    _output.write_asset_events(asset_events, _asset_events(report, day))
    show_report(report, as_json)
    if report.touched_days:
        for sentence in open_windows(chosen, stream):
            _output.note(sentence)


def _asset_events(report: "IngestReport", day: date | None) -> dict[str, dict]:
    """Of bronze where files are new, of silver where events are; what an ingest took has passed the gate, or it ends
    with an error."""
    from pipelines.ingest.files import ACCEPTED, REFUSED
    from pipelines.ledger.verdicts import PASSED

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


def show_report(report: "IngestReport", as_json: bool) -> None:
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
