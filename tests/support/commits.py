"""A process that commits to one table again and again, a row with its own name each time:

python -m tests.support.commits ENGINE WRITER COUNT
"""

import sys
from functools import partial

from windrow.pipelines import config
from windrow.pipelines.delta.file_commits import append_files
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile, write_rows
from windrow.pipelines.engines import engine_of
from windrow.schemas.tables import Column, Table

TABLE = Table(
    "commits",
    "rows of several writers",
    (
        Column("writer", "string", "who wrote it", nullable=False),
        Column("number", "int64", "its which row it is", nullable=False),
    ),
)


def commit_all(engine: str, writer: str, count: int) -> None:
    """By the way in which the engine's stages commit: rows that are here, or files that its tasks have written."""
    lake = Lake(config.load(engine=engine))
    lake.ensure(TABLE)
    for number in range(count):
        row = {"writer": writer, "number": number}
        if engine == "local":
            lake.append(TABLE, [row])
        else:
            written = engine_of(lake.config).each(partial(written_by_task, lake), [row])
            append_files(lake, TABLE, [file for found in written for file in found])


def written_by_task(lake: Lake, row: dict) -> list[NewFile]:
    import pyarrow as pa

    return write_rows(lake, TABLE, pa.Table.from_pylist([row], lake.schema(TABLE)))


if __name__ == "__main__":
    commit_all(sys.argv[1], sys.argv[2], int(sys.argv[3]))
