"""A table of the ledger made again of every row that can still be read.

Its rows are only ever appended, so none that a file of its folder holds is wrong: not those of files that compaction
replaced either, which hold the same rows once more.
"""

import pyarrow as pa
from deltalake import write_deltalake

from pipelines import storage
from pipelines.delta import contract
from pipelines.delta.damage import Damage
from pipelines.delta.damaged_files import wrong_with
from pipelines.delta.lake import Lake
from pipelines.location import Location
from schemas.tables import Table


def salvage(lake: Lake, table: Table, found: Damage, place: Location) -> int | None:
    """Put a table of all readable rows where the damaged one was, which goes to `place`; the caller holds its lock.
    Returns how many rows were lost; None where the log, which knew, is damaged. O(bytes of the folder)."""
    folder, repaired = lake.folder(table.name), lake.repaired_folder(table.name)
    lost = None
    if not lake.is_half_repaired(table.name):
        rows = _readable(lake, table)
        lost = None if found.log else _rows_in_log(folder) - len(rows)
        storage.remove_folder(repaired)
        storage.move(_make(lake, table, rows), repaired)
        storage.move(folder, place / table.name)
    storage.move(repaired, folder)
    return None if lost is None else max(lost, 0)


def _readable(lake: Lake, table: Table) -> pa.Table:
    # On S3 tables move file by file: what a repair had made that was killed meanwhile has rows that the table lacks.
    folders = (lake.folder(table.name), lake.repaired_folder(table.name))
    schema = lake.schema(table)
    files = [file for folder in folders for file in storage.row_files(folder)]
    whole = [storage.parquet(file).read() for file in files if wrong_with(file, None, read_all=True) is None]
    rows = pa.concat_tables([schema.empty_table(), *whole], promote_options="permissive").select(schema.names)
    return rows.group_by(schema.names, use_threads=False).aggregate([]).cast(schema)


def _rows_in_log(folder: Location) -> int:
    files = pa.table(storage.delta_table(folder).get_add_actions(flatten=True))
    return sum(count or 0 for count in files["num_records"].to_pylist())


def _make(lake: Lake, table: Table, rows: pa.Table) -> Location:
    folder = lake.config.lake / f".{table.name}.salvaged"
    storage.remove_folder(folder)
    contract.create(folder, table, lake.schema(table))
    write_deltalake(storage.delta_table(folder), rows, mode="append")
    return folder
