"""Taking out what a landing file delivered, as a run of its own: in the ledger, like an ingest.

A file that vanishes from the landing folder keeps what it delivered, since landing folders are tidied up; so somebody
has to say when it is to go.
"""

from pipelines import flow
from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.ingest import landing
from pipelines.ingest.changes import Asked
from pipelines.ingest.files import FORGOTTEN, known_files
from pipelines.ingest.ingest import Progress
from pipelines.ingest.outcome import IngestReport
from pipelines.ledger import run_table
from pipelines.ledger.code_hash import definition_hash
from pipelines.ledger.entry import Run
from pipelines.runs.ingest_day import check, ingest_as_step
from pipelines.tables.stream_tables import StreamTables
from schemas import registry
from schemas.errors import UnknownName, WrongParameter


def forget(config: Config, path: str, leave_file: bool, run_id: str | None, progress: Progress) -> IngestReport:
    """Take out what the path delivered: the days that this touches are made again, and a file that was refused as its
    duplicate is taken. `leave_file`: the file may stay in the landing folder; it is left out until its content changes.
    Raises UnknownName, WrongParameter (the file lies in the landing folder), and what `ingest` raises."""
    tables = _tables_of(Lake(config), path)
    run = Run(run_id or run_table.new_run_id(tables.stream.name, None), tables.stream.name)
    lake = Lake(config).committing(run_id=run.run_id, definition=definition_hash(run.stream, None))
    with run_table.step(lake, run, "forget") as entry:
        listed = landing.listing(config.landing, tables.stream)
        if not leave_file and path in {*listed.events, *listed.no_events}:
            raise WrongParameter("path", path, "one that has left the landing folder; or add --leave-file")
        progress = entry.stages.following(progress)
        entry.inputs = {"forgotten": path}
        report = ingest_as_step(lake, tables, entry, progress, Asked(forget=frozenset([path])))
        progress(flow.CHECK_SILVER.name)
        check(lake, run, tables, report, entry, progress)
    return report


def _tables_of(lake: Lake, path: str) -> StreamTables:
    """Those of the stream that knows the path, or did so before a forget that took it out and then failed: repeated, it
    ends well. No two streams have files in one folder."""
    known = []
    for stream in registry.streams().values():
        tables = StreamTables.of(stream)
        rows = known_files(lake, tables.files)
        left = [row.path for row in rows.values() if row.state != FORGOTTEN]
        if path in left:
            return tables
        known += left
    forgets = run_table.rows(lake, [("step", "=", "forget")])
    of_path = [step for step in forgets if step.inputs.get("forgotten") == path]
    if of_path and of_path[-1].state != "done":
        return StreamTables.of(registry.stream(of_path[-1].stream))
    raise UnknownName("landing file that an ingest has taken", path, _alike(path, known))


def _alike(path: str, known: list[str]) -> list[str]:
    """Some of the known paths: of files of that name, or else of that folder, or any."""
    folder, _, name = path.rpartition("/")
    named = [each for each in known if each.rpartition("/")[2] == name]
    return (named or [each for each in known if each.startswith(f"{folder}/")] or known)[:5]
