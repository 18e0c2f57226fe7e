"""Pass ticks and digests per arrival day: what later steps know of silver without reading it. No JVM.

`partitions_<stream>` drives both: before silver changes, the rows of the days that will change are taken out;
afterwards every day of silver without a row gets its pass ticks and its row. A kill in between leaves days without a
row, and the next ingest makes them, whatever files it is about.
"""

import hashlib
from collections.abc import Iterable
from datetime import date

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from pipelines import lake, spilling
from pipelines.arrow_schemas import arrow_schema
from pipelines.config import Config
from pipelines.pass_ticks import staircases
from schemas.stream import Stream
from schemas.tables import Table, partitions_table, pass_table, silver_table

# What no result depends on: the definition's hash changes with every comment in its file, and the identity is only
# compared while a file is ingested.
NOT_DIGESTED = ("definition", "identity")


def forget(config: Config, stream: Stream, days: Iterable[date]) -> None:
    """Take out the rows of days that are about to change."""
    table, days = partitions_table(stream), set(days)
    known = set(lake.read(config, table.name, columns=["arrival_date"])["arrival_date"].to_pylist())
    if known & days:
        none = arrow_schema(table).empty_table()
        lake.replace(config, table, lake.among("arrival_date", sorted(known & days)), none)


def missing(config: Config, stream: Stream) -> tuple[list[date], list[date]]:
    """Days of silver without a row, and days with a row or pass ticks that silver no longer has."""
    have = lake.partition_dates(config, silver_table(stream).name)
    known = set(lake.read(config, partitions_table(stream).name, columns=["arrival_date"])["arrival_date"].to_pylist())
    stepped = lake.partition_dates(config, pass_table(stream).name)
    return sorted(have - (known & stepped)), sorted((known | stepped) - have)


def make(config: Config, stream: Stream) -> tuple[date, ...]:
    """Bring pass ticks and digests up to silver; returns the days that were made or taken away."""
    new, gone = missing(config, stream)
    if not new and not gone:
        return ()
    chosen = lake.among("arrival_date", sorted({*new, *gone}))
    with spilling.database(config.scratch) as database:
        database.register("silver", _days(config, silver_table(stream), new))
        steps = staircases(database)
        digests = _digests(database, silver_table(stream), steps)
    lake.replace(config, pass_table(stream), chosen, steps)
    lake.replace(config, partitions_table(stream), chosen, digests)
    return tuple(sorted({*new, *gone}))


def _days(config: Config, table: Table, days: list[date]):
    return lake.dataset(config, table.name).filter(pc.field("arrival_date").isin(days))


def _digests(database: duckdb.DuckDBPyConnection, table: Table, steps: pa.Table) -> pa.Table:
    """Per day: rows, and order-free sum and exclusive or of the rows' hashes (so that equal rows don't cancel out)."""
    columns = ", ".join(_as_text(column.name, column.type) for column in table.columns
                        if column.name not in NOT_DIGESTED)
    digests = database.sql(f"""
        SELECT arrival_date, count(*) AS events,
               to_hex(sum(hashed)) || '-' || to_hex(bit_xor(hashed)) AS silver_digest
        FROM (SELECT arrival_date, md5_number_lower(concat_ws(chr(31), {columns})) AS hashed FROM silver)
        GROUP BY arrival_date ORDER BY arrival_date""").to_arrow_table()
    passed = [_pass_digest(steps.filter(pc.equal(steps["arrival_date"], day))) for day in digests["arrival_date"]]
    return digests.append_column("pass_digest", pa.array(passed, pa.string()))


def _as_text(name: str, type_: str) -> str:
    # Microseconds, since a timestamp's text depends on the session's time zone; U+001E tells null from empty.
    value = f'epoch_us("{name}")' if type_ == "timestamp" else f'"{name}"'
    return f"coalesce({value}::VARCHAR, chr(30))"


def _pass_digest(steps: pa.Table) -> str:
    digest = hashlib.sha256()
    for name in ("tick", "newest_start"):
        digest.update(steps[name].cast(pa.int64()).to_numpy().tobytes())
    return digest.hexdigest()[:32]
