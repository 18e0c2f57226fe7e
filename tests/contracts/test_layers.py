"""The layers show in the imports: downward only, and each layer with the libraries that it may have."""

import ast
import re
import sys
from pathlib import Path

import pytest

from pipelines.ledger.code_hash import MAKE_NO_ROWS

ROOT = Path(__file__).parents[2]
STANDARD = sys.stdlib_module_names
# What each folder may import of the repository, by the longest name that fits.
DOWNWARD = {
    "schemas": {"schemas"},
    "kernels": {
        "kernels",
        "schemas.errors",
        "schemas.loading",
        "schemas.mistakes",
        "schemas.query",
        "schemas.replay_limits",
        "schemas.windows",
    },
    "processes": {"processes"},
    "pipelines": {"pipelines", "processes", "kernels", "schemas"},
    "windrow": {"windrow", "pipelines", "schemas"},
    "dags": {"dags", "pipelines.config", "pipelines.flow", "pipelines.report", "processes", "schemas"},
    "samples": {"samples", "schemas"},
    "stack": {
        "stack",
        "samples",
        "schemas",
        "processes",
        "pipelines.config",
        "pipelines.location",
        "kernels.monoids",
        "kernels.runtime.cache",
    },
    "docker": {"docker"},
    "tools": {"tools", "windrow", "pipelines", "kernels", "schemas"},
    "benchmarks": {"benchmarks", "stack", "processes", "pipelines", "kernels", "schemas", "samples", "tests"},
}
# What each wing of pipelines/ may import of pipelines/, apart from itself and the modules at its top (config, storage).
WINGS = {
    "lake": set(),
    "ledger": {"lake"},
    "ingest": {"lake"},
    "replay": {"lake", "ledger"},
    "gate": {"lake", "ledger"},
    "engines": {"lake"},
    "runs": {"lake", "ledger", "ingest", "replay", "gate", "engines"},
    "plan": {"lake", "ledger", "ingest", "engines", "runs"},
    "verify": {"lake", "ledger", "ingest", "runs"},
    "report": {"lake", "ledger", "gate"},
    "lateness": {"lake", "gate"},
    "cli": {"lake", "ledger", "ingest", "gate", "runs", "plan", "verify", "report", "lateness"},
}
# The modules at the top, and the wings that each may import: all wings may import those without any.
TOP = {
    "__init__": set(),
    "__main__": {"cli"},
    "config": set(),
    "flow": set(),
    "hdfs_path": set(),
    "local": {"lake", "replay"},
    "location": set(),
    "printable": set(),
    "storage": set(),
}
LIBRARIES = {
    "schemas": set(),
    "processes": set(),
    "kernels": {"numpy", "numba", "llvmlite"},
    "dags": {"airflow", "fastapi"},
    "samples": set(),
    "stack": set(),
    "docker": {"s3fs"},
    "tools": {"matplotlib", "pyarrow", "typer"},
}
# Modules by which a kernel could reach a file, a process, a socket, a clock or chance.
NO_KERNEL = {
    "asyncio", "datetime", "glob", "http", "io", "logging", "multiprocessing", "os", "pathlib", "pickle",
    "random", "secrets", "shutil", "socket", "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
# A store is a kernel's way to a file or a server (DESIGN, layout): one file, one library.
STORES = Path("kernels/stores")
# Where compiled code lies, and what is in it: read to name folders, before any kernel runs.
CACHE = (Path("kernels/runtime/cache.py"), Path("kernels/runtime/kept.py"))
# A farm has threads, one a core, and a time limit (DESIGN, layout).
OF_FARMS = {
    Path("kernels/farm/monitor.py"): {"threading", "time"},
    Path("kernels/farm/threads.py"): {"os", "threading", "time"},
    Path("kernels/farm/given_windows.py"): {"time"},
    Path("kernels/farm/running.py"): {"time"},
    Path("kernels/farm/farm.py"): {"time"},
    Path("kernels/farm/options.py"): {"datetime", "os"},
}
NO_KERNEL_CALLS = {"open", "input", "print"}
# `windrow doctor` and `make doctor` are one thing, about what `make setup` set up, compiled kernels among it; where an
# Airflow runs, and who may ask it for something, whoever started it knows.
UPWARD = {"pipelines/cli/doctor.py": {"stack.doctor"}, "pipelines/cli/_airflow.py": {"stack.airflow"}}
# Never imported, only run, by the Python that has Spark and the kernels.
SCRIPTS = {"stack/training.py": {"pyspark"}, "stack/picture.py": {"matplotlib"}}
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


def test_the_page_for_contributors_lists_the_same_imports():
    rows = re.findall(r"^\| `(\w+)/` \| [^|]+ \| ([^|]+) \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    names = {folder: {as_module(path) for path in re.findall(r"`([\w/.]+)`", cell)} for folder, cell in rows}
    listed = {folder: {folder} | {name for name in names[folder] if not within(name, {folder})} for folder in names}
    assert listed == DOWNWARD | {"tests": {"tests"}}


def as_module(path: str) -> str:
    return path.removesuffix(".py").strip("/").replace("/", ".")


def wing_of(path: Path) -> str:
    """The wing that a file of pipelines/ is in, or the module at the top that it is."""
    return path.parts[1] if len(path.parts) > 2 else path.stem


def test_every_wing_and_module_of_pipelines_has_its_rule():
    assert {wing_of(path) for path in FILES if path.parts[0] == "pipelines"} == WINGS.keys() | TOP.keys()


@pytest.mark.parametrize("path", files_of("pipelines"))
def test_a_wing_imports_only_the_wings_below_it(path):
    wing = wing_of(path)
    shared = {name for name in TOP if not TOP[name]}
    allowed = {f"pipelines.{name}" for name in shared | {wing} | (WINGS | TOP)[wing]}
    names = {name for name in imported(path) if within(name, {"pipelines"})}
    upward = {name for name in names if not within(name, allowed)}
    assert not upward, f"{path} may import {sorted(allowed)} of pipelines/"


def module_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def test_no_modules_import_each_other_in_a_circle():
    files = {module_of(path): path for path in FILES if path.parts[0] in ("pipelines", "processes", "tools", "schemas")}
    below = {name: {found for each in imported(path) if (found := longest(each, files)) not in (None, name)}
             for name, path in files.items()}  # fmt: skip
    while leaves := {name for name, names in below.items() if not names}:
        below = {name: names - leaves for name, names in below.items() if name not in leaves}
    assert not below, "each of these imports another of them, or one that leads to them"


def longest(name: str, modules: dict[str, Path]) -> str | None:
    """The module of which this is the name, or in which it is a name."""
    return name if name in modules else name.rpartition(".")[0] if name.rpartition(".")[0] in modules else None


@pytest.mark.parametrize("path", files_of(*LIBRARIES))
def test_a_layer_has_only_the_libraries_that_it_may_have(path):
    names = imported(path)
    foreign = {name.split(".")[0] for name in names - own(names)} - STANDARD
    stored_in = {path.stem} if path.parent == STORES else set()
    assert foreign <= LIBRARIES[path.parts[0]] | SCRIPTS.get(str(path), set()) | stored_in, (
        f"{path} imports {sorted(foreign)}"
    )


@pytest.mark.parametrize(
    "path",
    [path for path in files_of("kernels") if path.values[0] not in CACHE and STORES not in path.values[0].parents],
)
def test_a_kernel_has_no_files_no_processes_no_clock_and_no_chance(path):
    reached = {name.split(".")[0] for name in imported(path)} & NO_KERNEL - OF_FARMS.get(path, set())
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


def test_helpers_are_in_support_and_elsewhere_are_only_tests():
    """`inside/` holds tests too: those that Airflow's Python runs."""
    apart = ("tests/support/", "tests/airflow/inside/")
    elsewhere = [path for path in FILES if path.parts[0] == "tests" and not str(path).startswith(apart)]
    assert not [path for path in elsewhere if not path.name.startswith("test_") and path.name != "conftest.py"]


def test_the_rules_are_looked_at_on_every_folder_of_code():
    """A folder of code that is in no rule would be free of all of them."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert {name for name in folders if not name.startswith(".")} - {"var"} == set(FOLDERS)


def test_the_code_hash_leaves_out_folders_that_are_there_and_keeps_all_that_makes_rows():
    assert [folder for folder in MAKE_NO_ROWS if not (ROOT / folder).is_dir()] == []
    hashed = {wing for wing in WINGS if f"pipelines/{wing}/" not in MAKE_NO_ROWS}
    assert hashed == {"lake", "ledger", "ingest", "replay", "gate", "engines", "runs"}
