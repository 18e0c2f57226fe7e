"""Files of a table written anew without the rows of some landed files."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.compute as pc

from pipelines import storage
from pipelines.delta.lake import Lake
from pipelines.delta.new_files import NewFile, write_batches
from pipelines.engines.engine import Engine
from pipelines.engines.shares import packed
from schemas.tables import Table


def rewritten(lake: Lake, engine: Engine, table: Table, paths: Sequence[str], files: Sequence[str]) -> list[NewFile]:
    """What is left of these files of the table, which lie below its folder, in shares of the engine's."""
    sizes = {file: (lake.folder(table.name) / file).stat().st_size for file in files}
    shares = packed(sizes, engine.slots, lake.config.task_bytes)
    return [file for found in engine.each(partial(without_paths, lake, table, paths), shares) for file in found]


def without_paths(lake: Lake, table: Table, paths: Sequence[str], files: Sequence[str]) -> list[NewFile]:
    """What is left of each of these files, in its order. O(their rows)."""
    gone = pa.array(paths, pa.string())
    found = []
    for file in files:
        with storage.parquet(lake.folder(table.name) / file) as rows:
            left = (batch.filter(pc.invert(pc.is_in(batch["path"], gone))) for batch in storage.batches(rows))
            found.append(write_batches(lake, table, _partition(table, file), left))
    return [each for each in found if each is not None]


def _partition(table: Table, file: str) -> dict[str, object]:
    """From the names of the file's folders."""
    texts = dict(part.split("=", 1) for part in PurePosixPath(file).parts[:-1])
    types = {column.name: column.type for column in table.columns}
    return {name: date.fromisoformat(text) if types[name] == "date" else int(text) for name, text in texts.items()}
