"""Under which code and definitions a step ran."""

import hashlib
import sys
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from windrow.kernels.runtime.cache import AGGREGATES, parents
from windrow.kernels.runtime.cache import HEAVY_FUNCTIONS as FUNCTIONS
from windrow.pipelines.config import REPOSITORY
from windrow.pipelines.storage import write_whole
from windrow.schemas.mistakes import file_of, source_of
from windrow.schemas.model import Model
from windrow.schemas.query import Query
from windrow.schemas.registry import (
    feature_sets,
    features_hash,
    features_module,
    module_of,
    module_of_stream,
    queries,
    query_hash,
    replay_hash,
    stream_hash,
)
from windrow.schemas.syntax import hash_of

HEAVY_FUNCTIONS = "kernels/farm/functions/"
KINDS = ("windrow.schemas.windows", "windrow.kernels.kinds", "windrow.pipelines.gate.recount.kinds")
ROOTS = ("kernels", "pipelines", "schemas")
# Code that makes no row. Streams, queries, models, policies and heavy functions are definitions, hashed apart:
# a new one must not make the runs of the others stale. The rest only starts runs or shows rows.
MAKE_NO_ROWS = (
    "schemas/streams/",
    "schemas/queries/",
    "schemas/models/",
    "schemas/policies/",
    "schemas/features/",
    "schemas/promise.py",
    HEAVY_FUNCTIONS,
    "pipelines/airflow/",
    "pipelines/cli/",
    "pipelines/compiled.py",
    "pipelines/docs/",
    "pipelines/erasure/",
    "pipelines/features/stale.py",
    "pipelines/ledger/lineage.py",
    "pipelines/ledger/lineage_events.py",
    "pipelines/ledger/openlineage.py",
    "pipelines/ledger/kept_definition.py",
    "pipelines/gate/promises.py",
    "pipelines/ledger/promises.py",
    "pipelines/logged.py",
    "pipelines/setting_up.py",
    "pipelines/upkeep/",
    "pipelines/report/",
    "pipelines/lateness/",
    "pipelines/ingest/profile.py",
    "pipelines/sql/",
    "pipelines/tables/column_lineage.py",
    "pipelines/why/",
)


@cache
def code_hash() -> str:
    """Hash of the code below ROOTS that rows can depend on. To parse it takes half a second, so the hash is kept beside
    the compiled kernels, by the bytes that it is of."""
    paths = sorted(path for root in ROOTS for path in (REPOSITORY / root).rglob("*.py"))
    names = {path: path.relative_to(REPOSITORY).as_posix() for path in paths}
    sources = [(name, path.read_bytes()) for path, name in names.items() if not name.startswith(MAKE_NO_ROWS)]
    digest = hashlib.sha256(sys.version.encode())
    for name, source in sources:
        digest.update(f"{name} {len(source)} ".encode() + source)
    files = [parent / f"code-{digest.hexdigest()}" for parent in parents()]
    for file in filter(Path.exists, files):
        return file.read_text()
    found = hash_of(sources)
    with suppress(OSError):  # of rights, or no room: it is parsed again
        write_whole(files[0], found.encode())
    return found


def definition_hash(stream: str, query: str | None) -> str:
    """Hash of the stream's definition; for a query's step, of what a replay takes from it, of the query's, and of a
    model's function or a policy."""
    return stream_hash(stream) if query is None else "-".join(_hashes(stream, query).values())


def changed_definitions(stream: str, query: str, then: str) -> list[str]:
    """Whose files are different now than when `definition_hash` gave that: of a defined query and of its stream."""
    now = _hashes(stream, query)
    before = zip(now, then.split("-"), strict=False)
    # Another number of parts: the query is of another kind now.
    return [file for file, hash_then in before if now[file] != hash_then] or [_query_file(query)]


def _hashes(stream: str, query: str) -> dict[str, str]:
    """By the files of definitions that the rows of a query or a feature set depend on."""
    if features := feature_sets().get(query):
        found = {
            file_of(module_of_stream(stream)): replay_hash(stream),
            file_of(features_module(query)): features_hash(query),
        }
        return found | _of_users(features.query)
    found = {file_of(module_of_stream(stream)): replay_hash(stream), _query_file(query): query_hash(query)}
    asked = queries().get(query)
    if isinstance(asked, Model):
        function = f"{FUNCTIONS}.{asked.function.function}"
        shared = (REPOSITORY / HEAVY_FUNCTIONS).glob("_*.py")
        found[file_of(function)] = _hash_of([*shared, source_of(function)])
    return found | (_of_users(asked) if asked is not None else {})


def _of_users(query: Query) -> dict[str, str]:
    modules = _users(query)
    return {", ".join(map(file_of, modules)): _hash_of([*map(source_of, modules)])} if modules else {}


def _users(query: Query) -> list[str]:
    """Modules of a project or another package that say what its windows and aggregates are: ours are in `code_hash`."""
    kinds = dict.fromkeys(type(window).__module__.rpartition(".")[2] for window in query.every_window)
    asked = [f"{AGGREGATES}.{name}" for name in sorted({each.function for each in query.aggregates.values()})]
    asked += [f"{package}.{kind}" for kind in kinds for package in KINDS]
    defined = dict.fromkeys(module for window in query.every_window for module in window.defined_in)
    return [*defined, *filter(_is_a_users, asked)]


def _is_a_users(module: str) -> bool:
    found = find_spec(module)
    if found is None or found.origin is None:  # some layers have no file of a kind
        return False
    return not any(Path(found.origin).resolve().is_relative_to(REPOSITORY / root) for root in ROOTS)


def _query_file(query: str) -> str:
    return file_of(module_of(query))


def question_hash(query: Query) -> str:
    """Changes whenever what is asked of a stream's rows does: what a state is of. A file of the query language that
    changed and means the same changes no question."""
    files = _hash_of([*map(source_of, _users(query))])
    asked = repr(query).replace(", windows=None", "")  # what it was before a query could have several,
    asked = asked.replace(", nowcast=None", "")  # or a nowcast, which windows that depend on their events can't have
    return hashlib.sha256(f"{asked} {replay_hash(query.stream)} {files}".encode()).hexdigest()[:16]


def _hash_of(paths: list[Path]) -> str:
    return hash_of((path.name, path.read_bytes()) for path in sorted(paths))
