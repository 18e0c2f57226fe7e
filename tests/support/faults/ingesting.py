"""An ingest of a file with one event, by the commits of a real one in their order (pipelines/ingest/ingest.py), without
its parsing; and what must hold of its tables.
"""

from dataclasses import replace
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc

from tests.support.faults.world import Broken
from windrow.pipelines.delta.file_commits import replace_partitions
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import write_rows
from windrow.pipelines.engines import engine_of
from windrow.pipelines.ingest import partitions
from windrow.pipelines.ingest.files import ACCEPTED, FileRow, write_files
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.stream_tables import Snapshot, StreamTables
from windrow.schemas import registry

STREAM = "bikes"
TABLES = StreamTables.of(registry.stream(STREAM))


def ingest(lake: Lake, path: str, day: date, run_id: str) -> None:
    """Take a file that has one event of a day."""
    with run_table.step(lake, Run(run_id, STREAM), "ingest") as entry:
        with lake.ingest_locked(STREAM):
            for table in TABLES.all:
                lake.ensure(table)
            intent = FileRow(path, path, 1, day, ACCEPTED, lines=2, readings=1, accepted=1)
            write_files(lake, TABLES.files, [intent])
            partitions.forget(lake, TABLES.partitions, [day])
            added = write_rows(lake, TABLES.silver, _with_event(lake, path, day))
            replace_partitions(lake, TABLES.silver, "arrival_date", [day], added)
            partitions.make(lake, engine_of(lake.config), TABLES)
            write_files(lake, TABLES.files, [replace(intent, definition="as parsed")])
            snapshot = Snapshot.taken(lake, TABLES)
        entry.outputs = snapshots.outputs(snapshot)


def _with_event(lake: Lake, path: str, day: date) -> pa.Table:
    rows = lake.read(TABLES.silver.name, filters=[("arrival_date", "=", day)])
    others = rows.filter(pc.not_equal(rows["path"], path))
    event = {**others.slice(0, 1).to_pylist()[0], "path": path}
    return pa.concat_tables([others, pa.Table.from_pylist([event], others.schema)])


def note_share(lake: Lake, silver: object, every_us: object, files: list[str]) -> list[str]:
    """As partitions.py has it."""
    return files


def joined(lake: Lake, version: int, shares: list[str], every_us: object) -> tuple[pa.Table, list[dict]]:
    """A pass tick and a digest for each day that has some of these files."""
    days = sorted({date.fromisoformat(file.partition("arrival_date=")[2][:10]) for file in shares})
    rows = [_noted(lake, version, day) for day in days]
    steps = [{"tick": row["newest_start"], "newest_start": row["newest_start"], "arrival_date": day}
             for row, day in zip(rows, days, strict=True)]  # fmt: skip
    return pa.Table.from_pylist(steps, partitions.STEPS), rows


def _noted(lake: Lake, version: int, day: date) -> dict:
    rows = lake.read(TABLES.silver.name, version, [("arrival_date", "=", day)])
    digest = ", ".join(sorted(rows["path"].to_pylist()))
    newest = pc.max(rows["start"]).as_py()
    of_day = {"arrival_date": day, "events": len(rows), "newest_start": newest, "silver_version": version}
    return {**of_day, "silver_digest": digest, "pass_digest": str(newest)}


def require_together(lake: Lake, silver_version: int, days: ArrivalDays) -> None:
    """Broken unless a version of silver has what is noted of each day."""
    held = lake.read(TABLES.silver.name, silver_version)["arrival_date"].value_counts().to_pylist()
    found, noted = {each["values"]: each["counts"] for each in held}, {day: days.events(day) for day in days.by_date}
    if found != noted:
        raise Broken(f"silver has {found} events by day, and of these is noted: {noted}")


def require_ingested(lake: Lake, paths: list[str]) -> None:
    """Broken unless each file's event is in silver once, and all that is known of the files and days says so."""
    held = lake.read(TABLES.silver.name)["path"].to_pylist()
    if any(held.count(path) != 1 for path in paths) or len({*held}) != len(held) - 1:  # the first file has two
        raise Broken(f"silver has events of {sorted(held)}, and {paths} were ingested")
    require_together(lake, lake.existing_version(TABLES.silver.name), ArrivalDays.read(lake, TABLES.partitions.name))
    rows = {row["path"]: row["definition"] for row in lake.read(TABLES.files.name).to_pylist()}
    if unfinished := [path for path in paths if not rows.get(path)]:
        raise Broken(f"not finished: {unfinished}")
