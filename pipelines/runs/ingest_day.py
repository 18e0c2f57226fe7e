"""An ingest as a run of its own: in the ledger, and with its silver checked where it is for a day.

The first task of a stream's DAG: it refuses a day that the stream doesn't have before it looks at any file.
"""

from datetime import date

from pipelines import flow
from pipelines.config import Config
from pipelines.gate import gate
from pipelines.ingest.ingest import Progress, ingest
from pipelines.ingest.outcome import IngestReport
from pipelines.lake.lake import Lake
from pipelines.lake.stream_tables import StreamTables
from pipelines.ledger import runs
from pipelines.ledger.entry import Run
from schemas import registry


def ingest_day(
    config: Config, stream_name: str, day: date | None, run_id: str | None, progress: Progress
) -> IngestReport:
    """Ingest all files of the stream; with a day, also check that arrival day of silver.

    Raises UnknownName, OutsideStream, GateFailed, and what `ingest` raises.
    """
    lake, tables = Lake(config), StreamTables.of(registry.stream(stream_name))
    run = Run(run_id or runs.new_run_id(stream_name, day), stream_name, None, day)
    with runs.step(lake, run, "ingest") as entry:
        progress = entry.following(progress)
        if day is not None:
            tables.stream.require_day(day)
        report = ingest(lake, tables, progress)
        entry.inputs = {row.path: row.content_hash for row in report.files}
        entry.outputs = report.versions
        entry.counts = {"files": len(report.files), "accepted": report.accepted, **report.refused}
        if day is not None:
            progress(flow.CHECK_SILVER.name)
            with lake.ingest_locked(stream_name):
                gate.require_silver(lake, run, tables, day)
    return report
