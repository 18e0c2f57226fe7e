"""Whether two lakes hold the same rows."""

from collections.abc import Iterable
from datetime import date

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.schemas.ledger_tables import FARM_RUNS, PROMISES, VERDICTS

# What depends on how many commits there were.
NOT_COMPARED = {"silver_version"}


def digests_of_rows(config: Config) -> dict[str, tuple]:
    """Of all tables but those of runs and of files' places."""
    lake = Lake(config)
    of_places = ("runs", VERDICTS.name, FARM_RUNS.name, PROMISES.name)
    names = [name for name in lake.names() if name not in of_places and not name.startswith(("bronze", "files"))]
    return digests(config, names)


def digests(config: Config, tables: Iterable[str]) -> dict[str, list[tuple]]:
    """Rows of each table, and a digest of these in any order."""
    return {name: _grouped(config, name, "0") for name in tables}


def digests_by_day(config: Config, tables: Iterable[str]) -> dict[tuple[str, date], tuple]:
    """The same for each day of tables that are partitioned by date."""
    found = {}
    for name in tables:
        (day,) = storage.delta_table(Lake(config).folder(name)).metadata().partition_columns
        found |= {(name, of_day[0]): of_day[1:] for of_day in _grouped(config, name, day)}
    return found


def _grouped(config: Config, table: str, by: str) -> list[tuple]:
    """Of each group of rows what they are grouped by, how many they are, and two digests."""
    rows = Lake(config).dataset(table)
    columns = ", ".join(f'"{each}"' for each in rows.schema.names if each not in NOT_COMPARED)
    with storage.open_database(config.scratch, config.lake) as database:
        database.register("rows", rows)
        hashed = f"SELECT {by} AS part, hash({columns}) AS hashed FROM rows"
        return database.sql(
            f"SELECT part, count(*), sum(hashed), bit_xor(hashed) FROM ({hashed}) GROUP BY part"
        ).fetchall()
