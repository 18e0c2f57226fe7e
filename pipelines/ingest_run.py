"""An ingest as a run of its own: in the ledger, and judged where it is for a day.

The first task of a stream's DAG: it refuses a day that the stream doesn't have before it looks at any file.
"""

from datetime import date

from pipelines import flow, gate, ingest_lock, ledger
from pipelines.config import Config
from pipelines.ingest import IngestReport, Progress, ingest
from pipelines.run import require_day, require_judged
from schemas import registry


def ingest_run(
    config: Config, stream_name: str, day: date | None, run_id: str | None, progress: Progress
) -> IngestReport:
    """Ingest all files of the stream; with a day, also judge that arrival day of silver.

    Raises UnknownName, OutsideStream, GateFailed, and what `ingest` raises.
    """
    stream = registry.stream(stream_name)
    run = ledger.Run(run_id or ledger.new_run_id(stream.name, day), stream.name, None, day)
    with ledger.step(config, run.run_id, "ingest", *run[1:]) as entry:
        say = entry.following(progress)
        if day is not None:
            require_day(stream, day)
        report = ingest(config, stream.name, say)
        _tell(entry, report)
        if day is not None:
            say(flow.JUDGE_SILVER.name)
            with ingest_lock.held(config, stream.name):
                require_judged(config, run, gate.judge_silver(config, stream, day))
    return report


def _tell(entry: ledger.Entry, report: IngestReport) -> None:
    entry.inputs = {row.path: row.content_hash for row in report.files}
    entry.outputs = report.versions
    entry.counts = {"files": len(report.files), "accepted": report.accepted, **report.refused}
