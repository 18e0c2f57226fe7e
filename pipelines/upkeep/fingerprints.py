"""Fingerprints: whether two tables hold the same rows of a day, in whatever order, by reading all of them."""

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from pipelines.delta.day_files import parquet
from pipelines.delta.lake import Lake
from pipelines.rows import databases
from schemas.tables import Table


class Fingerprint(NamedTuple):
    """Rows, and two digests of them in any order: the sum and the exclusive or of their hashes."""

    rows: int
    total: int
    parity: int


NO_ROWS = Fingerprint(0, 0, 0)


def fingerprints(lake: Lake, table: Table) -> Mapping[date, Fingerprint]:
    """By day, of a table of days; none where there is no table. O(rows)."""
    if lake.version(table.name) is None or not (files := lake.files(table.name)):
        return {}
    (day,) = table.partition_by
    columns = ", ".join(f'"{name}"' for name in table.column_names)
    statement = f"""
        SELECT "{day}", count(*), sum(hashed), bit_xor(hashed)
        FROM (SELECT "{day}", hash({columns}) AS hashed FROM {parquet(table, files)}) GROUP BY ALL"""
    with databases.open_database(lake.config.scratch, lake.config.lake) as database:
        return {day: Fingerprint(*found) for day, *found in database.sql(statement).fetchall()}
