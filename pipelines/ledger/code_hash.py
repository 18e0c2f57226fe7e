"""Under which code and definitions a step ran."""

import hashlib
from functools import cache

from pipelines.config import REPOSITORY
from schemas.registry import query_hash, replay_hash, stream_hash

ROOTS = ("kernels", "pipelines", "schemas")
# Folders whose code makes no row. Streams, queries and models are definitions, hashed apart: a new query must not make
# the runs of the others stale. The rest only starts runs or shows rows.
MAKE_NO_ROWS = (
    "schemas/streams/",
    "schemas/queries/",
    "schemas/models/",
    "pipelines/cli/",
    "pipelines/report/",
    "pipelines/ingest/profile/",
    "pipelines/lake/sql/",
)


@cache
def code_hash() -> str:
    """Hash of the code below ROOTS that rows can depend on."""
    digest = hashlib.sha256()
    for path in sorted(path for root in ROOTS for path in (REPOSITORY / root).rglob("*.py")):
        name = path.relative_to(REPOSITORY).as_posix()
        if not name.startswith(MAKE_NO_ROWS):
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def definition_hash(stream: str, query: str | None) -> str:
    """Hash of the stream's definition; for a query's step, of what a replay takes from it, and of the query's."""
    return stream_hash(stream) if query is None else f"{replay_hash(stream)}-{query_hash(query)}"
