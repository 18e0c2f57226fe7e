"""Whether two lakes hold the same rows."""

from collections.abc import Iterable

from pipelines.config import Config
from pipelines.lake import databases
from pipelines.lake.lake import Lake

# What depends on how many commits there were.
NOT_COMPARED = {"silver_version"}


def digests(config: Config, tables: Iterable[str]) -> dict[str, tuple]:
    """Rows of each table, and a digest of these in any order."""
    lake, found = Lake(config), {}
    with databases.open_database(config.scratch, config.lake) as database:
        for name in tables:
            rows = lake.dataset(name)
            columns = ", ".join(f'"{each}"' for each in rows.schema.names if each not in NOT_COMPARED)
            database.register("rows", rows)
            hashed = f"SELECT hash({columns}) AS hashed FROM rows"
            found[name] = database.sql(f"SELECT count(*), sum(hashed), bit_xor(hashed) FROM ({hashed})").fetchall()
    return found
