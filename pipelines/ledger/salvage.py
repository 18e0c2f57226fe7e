"""A table of the ledger made again of every row that can still be read.

Its rows are only ever appended, so none that a file of its folder holds is wrong: not those of files that compaction
replaced either, which hold the same rows once more.
"""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, write_deltalake

from pipelines.lake import contract
from pipelines.lake.damage import Damage
from pipelines.lake.damaged_file import wrong_with
from pipelines.lake.lake import Lake
from schemas.tables import Table


def salvage(lake: Lake, table: Table, found: Damage, place: Path) -> int | None:
    """Put a table of all readable rows where the damaged one was, which goes to `place`; the caller holds its lock.

    Returns how many rows were lost; None where the log, which knew, is damaged. O(bytes of the folder).
    """
    folder, repaired = lake.folder(table.name), lake.repaired_folder(table.name)
    lost = None
    if not lake.is_half_repaired(table.name):
        rows = _readable(lake, table)
        lost = None if found.log else _rows_in_log(folder) - len(rows)
        shutil.rmtree(repaired, ignore_errors=True)
        _make(lake, table, rows).rename(repaired)
        place.mkdir(parents=True, exist_ok=True)
        shutil.move(folder, place / table.name)
    repaired.rename(folder)
    return None if lost is None else max(lost, 0)


def _readable(lake: Lake, table: Table) -> pa.Table:
    files = sorted(lake.folder(table.name).glob("*.parquet"))
    schema = lake.schema(table)
    whole = [pq.read_table(file) for file in files if wrong_with(file, None, read_all=True) is None]
    rows = pa.concat_tables([schema.empty_table(), *whole], promote_options="permissive").select(schema.names)
    return rows.group_by(schema.names, use_threads=False).aggregate([]).cast(schema)


def _rows_in_log(folder: Path) -> int:
    counts = pa.table(DeltaTable(folder).get_add_actions(flatten=True)).column("num_records").to_pylist()
    return sum(count or 0 for count in counts)


def _make(lake: Lake, table: Table, rows: pa.Table) -> Path:
    folder = lake.config.lake / f".{table.name}.salvaged"
    shutil.rmtree(folder, ignore_errors=True)
    contract.create(folder, table, lake.schema(table))
    write_deltalake(folder, rows, mode="append")
    return folder
