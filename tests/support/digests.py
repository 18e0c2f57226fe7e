"""Whether two lakes hold the same rows."""

from collections.abc import Iterable
from datetime import date

from pipelines import storage
from pipelines.config import Config
from pipelines.delta.lake import Lake
from schemas.ledger_tables import FARM_RUNS, VERDICTS

# What depends on how many commits there were.
NOT_COMPARED = {"silver_version"}


def digests_of_rows(config: Config) -> dict[str, tuple]:
    """Of all tables but those of runs and of files' places."""
    lake = Lake(config)
    of_places = ("runs", VERDICTS.name, FARM_RUNS.name)
    names = [name for name in lake.names() if name not in of_places and not name.startswith(("bronze", "files"))]
    return digests(config, names)


def digests(config: Config, tables: Iterable[str]) -> dict[str, tuple]:
    """Rows of each table, and a digest of these in any order."""
    lake, found = Lake(config), {}
    with storage.open_database(config.scratch, config.lake) as database:
        for name in tables:
            rows = lake.dataset(name)
            columns = ", ".join(f'"{each}"' for each in rows.schema.names if each not in NOT_COMPARED)
            database.register("rows", rows)
            hashed = f"SELECT hash({columns}) AS hashed FROM rows"
            found[name] = database.sql(f"SELECT count(*), sum(hashed), bit_xor(hashed) FROM ({hashed})").fetchall()
    return found


def digests_by_day(config: Config, tables: Iterable[str]) -> dict[tuple[str, date], tuple]:
    """The same for each day of tables that are partitioned by date."""
    lake, found = Lake(config), {}
    with storage.open_database(config.scratch, config.lake) as database:
        for name in tables:
            (day,) = storage.delta_table(lake.folder(name)).metadata().partition_columns
            database.register("rows", lake.dataset(name))
            hashed = f"SELECT {day}, hash(rows) AS hashed FROM rows"
            counted = f"SELECT {day}, count(*), sum(hashed), bit_xor(hashed) FROM ({hashed}) GROUP BY ALL"
            found |= {(name, each): tuple(of) for each, *of in database.sql(counted).fetchall()}
    return found
