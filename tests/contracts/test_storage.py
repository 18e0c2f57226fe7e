"""Lake and landing are listed, moved and looked at in storage.py alone: below a URI nothing else knows how."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.rules import ROOT, assert_none, files

# Of what lies on this machine only: programs, settings, locks, scratch; pages of Great Expectations and of the report.
OF_THIS_MACHINE = {
    "pipelines/cli/_app.py",
    "pipelines/config.py",
    "pipelines/engines/spark/executors.py",
    "pipelines/engines/spark/spark_session.py",
    "pipelines/engines/spark/settings.py",
    "pipelines/gate/checks/__init__.py",
    "pipelines/gate/validation.py",
    "pipelines/gate/validation_results.py",
    "pipelines/ledger/code_hash.py",
    "pipelines/ledger/running.py",
    "pipelines/report/benchmarks.py",
    "pipelines/report/runs_and_gate.py",
    "pipelines/report/site.py",
}
# What reads a file that somebody opened through storage.
OF_OPEN_FILES = {"pipelines/ingest/parquet_rows.py"}
# Of `os` and `shutil` what looks at files; of paths what finds or moves them.
OF_MODULES = {"os": {"path", "stat", "listdir", "scandir", "walk", "rename", "replace", "remove"}, "shutil": None}
OF_PATHS = {"glob", "rglob", "iterdir", "rename"}
OPENERS = {"DeltaTable", "ParquetFile", "ParquetWriter", "read_table", "read_metadata"}


def test_files_of_lake_and_landing_are_reached_through_storage():
    apart = OF_THIS_MACHINE | OF_OPEN_FILES | {"pipelines/storage.py"}
    others = [path for path in files("pipelines") if str(path) not in apart]
    found = (place for path in others for place in forbidden(path))
    assert_none("files of lake and landing are reached through pipelines/storage.py", found)


def test_a_file_is_excepted_only_where_it_needs_to_be():
    needless = [path for path in sorted(OF_THIS_MACHINE) if not any(forbidden(Path(path)))]
    assert_none("a file of OF_THIS_MACHINE calls what others may not: take it off that list", needless)


def forbidden(path: Path) -> Iterator[str]:
    """Where a file calls what a location below a URI has not, or what knows local paths only."""
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in OF_MODULES:
            names = OF_MODULES[node.value.id]
            if names is None or node.attr in names:
                yield f"{path}:{node.lineno} {node.value.id}.{node.attr}"
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in OF_PATHS | OPENERS:
                yield f"{path}:{node.lineno} {name}"
