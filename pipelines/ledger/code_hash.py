"""Under which code and definitions a step ran."""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pipelines.config import REPOSITORY
from schemas.model import Model
from schemas.query import Query
from schemas.registry import module_of, queries, query_hash, replay_hash, stream_hash
from schemas.syntax import hash_of

HEAVY_FUNCTIONS = "kernels/farm/functions/"
ROOTS = ("kernels", "pipelines", "schemas")
# Code that makes no row. Streams, queries, models, policies and heavy functions are definitions, hashed apart:
# a new one must not make the runs of the others stale. The rest only starts runs or shows rows.
MAKE_NO_ROWS = (
    "schemas/streams/",
    "schemas/queries/",
    "schemas/models/",
    "schemas/policies/",
    HEAVY_FUNCTIONS,
    "pipelines/cli/",
    "pipelines/upkeep/",
    "pipelines/report/",
    "pipelines/lateness/",
    "pipelines/ingest/profile.py",
    "pipelines/sql/",
)


@cache
def code_hash() -> str:
    """Hash of the code below ROOTS that rows can depend on."""
    return hash_of(_sources())


def _sources() -> Iterator[tuple[str, bytes]]:
    for path in sorted(path for root in ROOTS for path in (REPOSITORY / root).rglob("*.py")):
        name = path.relative_to(REPOSITORY).as_posix()
        if not name.startswith(MAKE_NO_ROWS):
            yield name, path.read_bytes()


def definition_hash(stream: str, query: str | None) -> str:
    """Hash of the stream's definition; for a query's step, of what a replay takes from it, of the query's, and of a
    model's function or a policy."""
    if query is None:
        return stream_hash(stream)
    asked = queries().get(query)
    parts = [replay_hash(stream), query_hash(query)]
    if isinstance(asked, Model):
        folder = REPOSITORY / HEAVY_FUNCTIONS
        parts.append(_hash_of([*folder.glob("_*.py"), *folder.glob(f"{asked.function.function}.py")]))
    if asked is not None and asked.window.defined_in:
        parts.append(_hash_of([REPOSITORY / file for file in asked.window.defined_in]))
    return "-".join(parts)


def changed_definitions(stream: str, query: str, then: str) -> list[str]:
    """Whose files are different now than when `definition_hash` gave that: of a defined query and of its stream."""
    asked = queries()[query]
    files = [f"schemas/streams/{stream}.py", f"{module_of(query).replace('.', '/')}.py"]
    files += [f"{HEAVY_FUNCTIONS}{asked.function.function}.py"] if isinstance(asked, Model) else []
    files += [", ".join(asked.window.defined_in)] if asked.window.defined_in else []
    parts = zip(files, then.split("-"), definition_hash(stream, query).split("-"), strict=False)
    # Another number of parts: the query is of another kind now.
    return [file for file, before, now in parts if before != now] or [files[1]]


def question_hash(query: Query) -> str:
    """Changes whenever what is asked of a stream's rows does: what a state is of. A file of the query language that
    changed and means the same changes no question."""
    files = _hash_of([REPOSITORY / file for file in query.window.defined_in])
    return hashlib.sha256(f"{query!r} {replay_hash(query.stream)} {files}".encode()).hexdigest()[:16]


def _hash_of(paths: list[Path]) -> str:
    """Of what all of some definitions share, and of one."""
    return hash_of((path.name, path.read_bytes()) for path in sorted(paths))
