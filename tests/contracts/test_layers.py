"""The layers show in the imports: downward only, and each layer with the libraries that it may have."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STANDARD = sys.stdlib_module_names
# What each folder may import of the repository, by the longest name that fits.
DOWNWARD = {
    "schemas": {"schemas"},
    "kernels": {"kernels", "schemas.errors", "schemas.query"},
    "pipelines": {"pipelines", "kernels", "schemas"},
    "dags": {"dags", "pipelines.flow", "pipelines.flow_text", "schemas"},
    "samples": {"samples", "schemas"},
    "stack": {"stack", "samples", "schemas", "pipelines.config", "pipelines.compiled_kernels"},
    "benchmarks": {"benchmarks", "stack", "pipelines", "kernels", "schemas", "samples", "tests"},
}
LIBRARIES = {
    "schemas": set(),
    "kernels": {"numpy", "numba", "llvmlite"},
    "dags": {"airflow"},
    "samples": set(),
    "stack": set(),
}
# Modules by which a kernel could reach a file, a process, a socket, a clock or chance.
NO_KERNEL = {
    "asyncio", "datetime", "glob", "http", "io", "logging", "multiprocessing", "os", "pathlib", "pickle",
    "random", "secrets", "shutil", "socket", "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
# A store is a kernel's way to a file or a server (DESIGN, layout): one file, one library.
STORES = Path("kernels/stores")
NO_KERNEL_CALLS = {"open", "input", "print"}
# `windrow doctor` and `make doctor` are one thing, about what `make setup` set up, compiled kernels among it.
UPWARD = {"pipelines/commands/doctor.py": {"stack.doctor"}}
# Never imported, only run, by the Python that has Spark and the kernels.
SCRIPTS = {"stack/training.py": {"pyspark"}}
LONGEST_FILE = 300
FOLDERS = [folder for folder in (*DOWNWARD, "tests") if any((ROOT / folder).rglob("*.py"))]
FILES = sorted(path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
FIRST_PARTY = {*DOWNWARD, "tests"}


def imported(path: Path) -> set[str]:
    """Every module that a file imports, wherever the import stands; `from a import b` gives `a.b`."""
    names = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(), str(path))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively: write the package's name"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def within(name: str, allowed: set[str]) -> bool:
    return any(name == prefix or name.startswith(prefix + ".") for prefix in allowed)


def own(names: set[str]) -> set[str]:
    return {name for name in names if name.split(".")[0] in FIRST_PARTY}


def files_of(*folders: str) -> list:
    return [pytest.param(path, id=str(path)) for path in FILES if path.parts[0] in folders]


@pytest.mark.parametrize("path", files_of(*DOWNWARD))
def test_imports_within_the_repository_go_downward_only(path):
    allowed = DOWNWARD[path.parts[0]] | UPWARD.get(str(path), set())
    upward = {name for name in own(imported(path)) if not within(name, allowed)}
    assert not upward, f"{path} may import {sorted(allowed)} of this repository"


@pytest.mark.parametrize("path", files_of(*LIBRARIES))
def test_a_layer_has_only_the_libraries_that_it_may_have(path):
    names = imported(path)
    foreign = {name.split(".")[0] for name in names - own(names)} - STANDARD
    stored_in = {path.stem} if path.parent == STORES else set()
    assert foreign <= LIBRARIES[path.parts[0]] | SCRIPTS.get(str(path), set()) | stored_in, (
        f"{path} imports {sorted(foreign)}"
    )


@pytest.mark.parametrize("path", [path for path in files_of("kernels") if STORES not in path.values[0].parents])
def test_a_kernel_has_no_files_no_processes_no_clock_and_no_chance(path):
    reached = {name.split(".")[0] for name in imported(path)} & NO_KERNEL
    calls = {
        node.func.id
        for node in ast.walk(ast.parse((ROOT / path).read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not reached | (calls & NO_KERNEL_CALLS)


@pytest.mark.parametrize("path", files_of("schemas"))
def test_a_definition_is_data_it_opens_no_file_and_asks_no_clock(path):
    """The registry alone reads files: its own folder's, to find and to hash definitions."""
    reached = {name.split(".")[0] for name in imported(path)} & {
        "os",
        "pathlib",
        "io",
        "random",
        "socket",
        "time",
    }
    assert not reached or path.name == "registry.py"


@pytest.mark.parametrize("path", [pytest.param(path, id=str(path)) for path in FILES])
def test_a_file_is_short_enough_to_be_read_at_once(path):
    assert len((ROOT / path).read_text().splitlines()) < LONGEST_FILE


def tracked_texts() -> list[Path]:
    """Everything that is written by hand: code, docs and settings."""
    endings = {".py", ".md", ".toml", ".sh", ".yml", ".yaml", ".cfg", ".ini", ".properties", ""}
    hidden = {
        ".git",
        ".venv",
        ".venv-airflow",
        "var",
        "__pycache__",
        ".hypothesis",
        ".pytest_cache",
        ".ruff_cache",
    }
    return [
        path
        for path in sorted(ROOT.rglob("*"))
        if not hidden & set(path.relative_to(ROOT).parts) and path.is_file() and path.suffix in endings
    ]


def test_no_text_holds_a_path_of_one_machine():
    own_path = re.compile(r"(?<![\w.])/(?:" + "|".join(("work", "root", "home")) + r")/[\w.-]")
    found = [f"{path.relative_to(ROOT)}: {hit.group()}" for path in tracked_texts()
             for hit in own_path.finditer(path.read_text(errors="replace"))]  # fmt: skip
    assert not found


def test_the_rules_are_looked_at_on_every_folder_of_code():
    """A folder of code that is in no rule would be free of all of them."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert {name for name in folders if not name.startswith(".")} - {"var"} == set(FOLDERS)
