"""windrow ingest STREAM."""

from datetime import date
from typing import Annotated

from pipelines.commands import _output
from pipelines.commands._options import AsJson, RunId, StreamName, day_option
from pipelines.commands._progress import progress


def ingest(
    stream: StreamName,
    day: Annotated[
        date | None, day_option("--day", help="Also judge the silver rows of this arrival day.")
    ] = None,
    run_id: RunId = None,
    as_json: AsJson = False,
):
    """Bring a stream's tables up to date with its landing files, whatever days they touch."""
    from dataclasses import asdict

    from pipelines import config
    from pipelines.ingest_run import ingest_run

    with progress() as told:
        report = ingest_run(config.load(), stream, day, run_id, told)
    if as_json:
        _output.show_json(asdict(report) | {"accepted": report.accepted})
        return
    for message in report.messages:
        _output.say(message)
    _output.show_facts(_brief(report), as_json)


def _brief(report) -> dict:
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
