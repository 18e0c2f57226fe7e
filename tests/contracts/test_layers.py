"""The layers show in the imports: import-linter's contracts in pyproject.toml say who may import what. Here they are
checked, and with them what they can't say: libraries, circles, calls, paths, and how long a file is."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest
from importlinter import configuration
from importlinter.application import use_cases

from tests.support.checkout import LINKED
from tests.support.rules import ROOT, assert_none, files, line_of
from windrow.pipelines.ledger.code_hash import MAKE_NO_ROWS

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
LAYERS = [layer.split(" | ") for layer in SETTINGS["contracts"][0]["layers"]]
OWN = ("windrow.airflow", "windrow.answer", "windrow.lake", "windrow.testing")
PACKAGES = [name.removeprefix("windrow.").split(".")[0] for layer in LAYERS for name in layer if name not in OWN]
PACKAGES = [*dict.fromkeys(PACKAGES), "windrow"]
# Scripts that import nothing of the repository, and tests, which may import everything.
OTHERS = ["dags", "docker", "tests"]
FOLDERS = PACKAGES + OTHERS
LIBRARIES = {
    "schemas": set(),
    "processes": set(),
    "kernels": {"numpy", "numba", "llvmlite"},
    "airflow": {"airflow", "croniter", "fastapi"},
    "samples": set(),
    "examples": set(),
    "stack": set(),
    "tools": {"jinja2", "matplotlib", "pyarrow", "pytest", "typer"},
}
# Never imported, only run, by the Python that has Spark and the kernels.
SCRIPTS = {"stack.training": {"pyspark"}}
OF_IMAGES = sys.stdlib_module_names | {"s3fs"}
NO_KERNEL_CALL = re.compile(r"\b(open|input|print)\(")
LONGEST_FILE = 300
# What is written by hand: code, docs and settings.
ENDINGS = {".py", ".md", ".ipynb", ".toml", ".sh", ".yml", ".yaml", ".cfg", ".ini", ".properties", ""}
MADE = {".git", ".venv", ".venv-airflow", "var", ".hypothesis", ".pytest_cache", ".ruff_cache"}
OF_ONE_MACHINE = re.compile(r"(?<![\w.])/(?:" + "|".join(("work", "root", "home")) + r")/[\w.-]")


@cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*SETTINGS["root_packages"], include_external_packages=True, cache_dir=None)


def module_of(path: Path) -> str:
    inside = ("windrow",) if path.parts[0] in LINKED and path.parts[0] != "examples" else ()
    return ".".join((*inside, *path.with_suffix("").parts)).removesuffix(".__init__")


MODULES = {module_of(path): path for path in files(*PACKAGES)}


@cache
def imports() -> list[grimp.DetailedImport]:
    seen = sorted(MODULES.keys() & graph().modules)
    pairs = [(name, found) for name in seen for found in graph().find_modules_directly_imported_by(name)]
    return [each for importer, found in pairs for each in graph().get_import_details(importer=importer, imported=found)]


def place(found: grimp.DetailedImport) -> str:
    return f"{MODULES[found['importer']]}:{found['line_number']} {found['line_contents']}"


def test_imports_go_downward_only_as_the_contracts_of_import_linter_say(capsys):
    configuration.configure()
    kept = use_cases.lint_imports(config_filename=str(ROOT / "pyproject.toml"), cache_dir=None, no_logo=True)
    assert kept, f"imports go downward only: [tool.importlinter] of pyproject.toml\n{capsys.readouterr().out}"


def test_every_file_of_code_is_looked_at():
    """A folder of code that is in no rule would be free of all of them."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.rglob("*.py"))} - {"var"}
    without = [f"{name}/ has no layer" for name in folders - set(FOLDERS) if not name.startswith(".")]
    unseen = [f"{path} has no __init__.py next to it, nor is its folder in root_packages"
              for name, path in MODULES.items() if name not in graph().modules]  # fmt: skip
    assert_none("import-linter sees every file: [tool.importlinter] of pyproject.toml", without + unseen)


def test_no_modules_import_each_other_in_a_circle():
    inside = MODULES.keys() & graph().modules
    try:
        TopologicalSorter({name: graph().find_modules_directly_imported_by(name) for name in inside}).prepare()
    except CycleError as circle:
        pytest.fail(f"modules import each other in a circle: {' <- '.join(circle.args[1])}")


def test_imports_are_written_with_the_package_s_name():
    relative = [place(each) for each in imports() if re.match(r"\s*from\s+\.", each["line_contents"])]
    assert_none("no import is relative: write the package's name", relative)


def test_a_layer_has_only_the_libraries_that_it_may_have():
    foreign = [place(each) for each in imports() if is_foreign(each["importer"], each["imported"])]
    assert_none(f"a layer has only the libraries in LIBRARIES of {Path(__file__).name}", foreign)


def is_foreign(importer: str, name: str) -> bool:
    folder, _, rest = importer.removeprefix("windrow.").partition(".")
    if folder not in LIBRARIES or name.split(".")[0] in sys.stdlib_module_names | set(FOLDERS):
        return False
    # A store is a kernel's way to a file or a server: one file, one library.
    stored_in = {rest.removeprefix("stores.")} if folder == "kernels" and rest.startswith("stores.") else set()
    return name not in LIBRARIES[folder] | SCRIPTS.get(importer, set()) | stored_in


def test_a_script_of_an_image_has_the_standard_library_and_s3fs():
    foreign = [f"{path}:{line} {name}" for path in files("docker") for line, name in imported(path)
               if name.split(".")[0] not in OF_IMAGES]  # fmt: skip
    assert_none("a script of docker/ imports the standard library, and s3fs", foreign)


def imported(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def test_a_kernel_opens_no_file_and_prints_nothing():
    """Where compiled code lies and what is in it is read before any kernel runs; a store is the way to a file."""
    apart = ("kernels/stores/", "kernels/runtime/cache.py", "kernels/runtime/kept.py")
    kernels = [path for path in files("kernels") if not str(path).startswith(apart)]
    assert_none("a kernel calls no open, no input and no print", (each for path in kernels for each in calls(path)))


def calls(path: Path) -> Iterator[str]:
    text = (ROOT / path).read_text()
    for node in ast.walk(ast.parse(text)) if NO_KERNEL_CALL.search(text) else ():
        if isinstance(node, ast.Call) and NO_KERNEL_CALL.match(f"{ast.unparse(node.func)}("):
            yield f"{path}:{node.lineno} {ast.unparse(node)}"


def test_a_file_is_short_enough_to_be_read_at_once():
    lengths = {path: len((ROOT / path).read_text().splitlines()) for path in files(*FOLDERS)}
    long = [f"{path}:{length} is its last line" for path, length in lengths.items() if length >= LONGEST_FILE]
    assert_none(f"a file has less than {LONGEST_FILE} lines: one concept, one file", long)


def test_no_text_holds_a_path_of_one_machine():
    written = (path for top in ROOT.iterdir() if top.name not in MADE for path in (top, *top.rglob("*")))
    texts = {path: path.read_text(errors="replace") for path in written if path.suffix in ENDINGS and path.is_file()}
    found = [f"{path.relative_to(ROOT)}:{line_of(text, hit.start())} {hit.group()}"
             for path, text in texts.items() for hit in OF_ONE_MACHINE.finditer(text)]  # fmt: skip
    assert_none("no text holds a path of one machine", found)


def test_helpers_are_in_support_and_elsewhere_are_only_tests():
    """`inside/` holds tests too: those that Airflow's Python runs."""
    apart = ("tests/support/", "tests/airflow/inside/")
    elsewhere = [path for path in files("tests") if not str(path).startswith(apart)]
    helpers = [path for path in elsewhere if not path.name.startswith("test_") and path.name != "conftest.py"]
    assert_none("tests/ has tests, and helpers in tests/support/", map(str, helpers))


def test_the_code_hash_leaves_out_what_is_there_and_keeps_all_that_makes_rows():
    folders = [name for name in MAKE_NO_ROWS if name.endswith("/")]
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
    assert [name for name in {*MAKE_NO_ROWS} - {*folders} if not (ROOT / name).is_file()] == []
    wings = {path.parts[1] for path in files("pipelines") if len(path.parts) > 2}
    hashed = {wing for wing in wings if f"pipelines/{wing}/" not in MAKE_NO_ROWS}
    assert hashed == {"rows", "delta", "tables", "engines", "ledger", "ingest", "replay", "features", "gate", "runs",
                      "nowcast"}  # fmt: skip
