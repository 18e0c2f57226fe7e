"""Compiled code is never older than its sources, no matter which module imports kernels first; and an aggregate
compiles alone."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import copied
from tests.support.other_user import as_other_user, give
from windrow.kernels.monoids import functions, monoids_of
from windrow.kernels.runtime import cache

ROOT = Path(__file__).resolve().parents[2]
ANSWER = """
import sys
from windrow.kernels.aggregators import make
from windrow.schemas.query import agg
window = make("two_stacks_lite", {"x": agg(sys.argv[1], "v")}, column_types={"v": "int64"})
window.bulk_insert([1, 2, 3], [10, 20, 30])
print(window.query()["x"])
"""
EDITED = """
import pathlib, sys
from windrow.kernels.monoids import every_monoid
every_monoid()
shared = pathlib.Path("kernels/monoids/_exact_sum.py")
shared.write_text(shared.read_text() + "\\n# edited while a process runs\\n")
"""
LARGEST_TWICE = '''"""aardvark: twice the greatest value. Null over no values."""

from dataclasses import replace

from windrow.kernels.monoids._aardvark import lower
from windrow.kernels.monoids.max import MONOIDS as GREATEST

MONOIDS = (replace(GREATEST[0], column_types=("int64",), lower=lower, checked=True),)
'''
TIMES = """def lower(state):
    return ({times} * state[0], state[1] == 0, False)
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the sources, to be edited, with a cache of its own."""
    folder = tmp_path_factory.mktemp("tree")
    return copied(folder, "kernels", "schemas")


def run(
    tree: Path, aggregate: str, script: str = ANSWER, as_user=lambda *words: words, **environment: str
) -> subprocess.CompletedProcess:
    """A process that imports nothing but kernels and aggregates 10, 20 and 30."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    return subprocess.run(
        as_user(sys.executable, "-c", script, aggregate),
        cwd=tree,
        env=kept | {"WINDROW_NUMBA": str(tree / "numba"), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def answer(tree: Path, aggregate: str, **environment: str) -> str:
    """What such a process prints."""
    done = run(tree, aggregate, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def compiled(tree: Path) -> dict[str, int]:
    """The files of compiled code and when each was written."""
    return {str(path.relative_to(tree)): path.stat().st_mtime_ns for path in (tree / "numba").rglob("*.nb?")}


@pytest.mark.nightly
@pytest.mark.takes(40)
def test_an_aggregate_that_is_new_or_edited_is_right_at_once_and_recompiles_nothing_else(tree):
    assert answer(tree, "sum") == "60"
    before = compiled(tree)
    (tree / "kernels/monoids/aardvark.py").write_text(LARGEST_TWICE)  # in front of all others
    shared = tree / "kernels/monoids/_aardvark.py"
    shared.write_text(TIMES.format(times=2))
    assert answer(tree, "sum") == "60"
    assert compiled(tree) == before
    assert answer(tree, "aardvark") == "60"
    shared.write_text(TIMES.format(times=3))
    assert answer(tree, "aardvark") == "90"
    assert answer(tree, "sum") == "60"
    added = {name for name in compiled(tree) if name not in before}
    assert {name.split("/")[1].split("-")[0] for name in added} == {"aardvark"}
    assert {name: compiled(tree)[name] for name in before} == before


@pytest.mark.nightly
def test_the_same_sources_in_another_folder_compile_nothing(tree, tmp_path):
    """As each session of a cluster unpacks them."""
    assert answer(tree, "sum") == "60"
    before = compiled(tree)
    for package in ("kernels", "schemas", "windrow"):
        shutil.copytree(tree / package, tmp_path / package, symlinks=True)
    assert answer(tmp_path, "sum", WINDROW_NUMBA=str(tree / "numba")) == "60"
    assert before and compiled(tree) == before


@pytest.mark.nightly
@pytest.mark.parametrize("statement", ["from ._bonobo import lower", "from . import _bonobo"])
def test_an_edit_of_what_an_aggregate_imports_by_a_relative_name_is_seen(tree, statement):
    text = LARGEST_TWICE.replace("from windrow.kernels.monoids._aardvark import lower", statement)
    name = f"bonobo{len(statement)}"
    used = text if "lower" in statement else text.replace("lower=lower", "lower=_bonobo.lower")
    (tree / f"kernels/monoids/{name}.py").write_text(used.replace("aardvark", name))
    shared = tree / "kernels/monoids/_bonobo.py"
    shared.write_text(TIMES.format(times=2))
    assert answer(tree, name) == "60"
    shared.write_text(TIMES.format(times=3))
    assert answer(tree, name) == "90"


@pytest.mark.nightly
def test_an_edit_of_what_all_share_is_seen_also_where_numbas_own_setting_names_the_folder(tree):
    settings = {"WINDROW_NUMBA": "", "NUMBA_CACHE_DIR": str(tree / "numba")}
    assert answer(tree, "sum", **settings) == "60"
    before = compiled(tree)
    shared = tree / "kernels/monoids/_exact_sum.py"
    text = shared.read_text()
    shared.write_text(text.replace("return (word >> 32, word & LOW, 1)", "return (word >> 32, (word + 1) & LOW, 1)"))
    assert answer(tree, "sum", **settings) == "63"
    shared.write_text(text)
    written = compiled(tree)
    assert answer(tree, "sum", **settings) == "60"
    assert compiled(tree) == written
    assert {name.split("/")[1].split("-")[0] for name in written if name not in before} == {"sum"}


@pytest.mark.nightly
def test_what_a_process_compiles_after_an_edit_is_not_kept_under_the_new_sources_name(tree):
    assert answer(tree, "count") == "3"
    before = compiled(tree)
    done = run(tree, "mean", EDITED + ANSWER)
    assert (done.stdout, done.returncode) == ("20.0\n", 0), done.stderr
    assert "is not kept: sources were edited while this process ran" in done.stderr
    assert compiled(tree) == before


@pytest.mark.nightly
def test_where_no_folder_can_be_made_the_answer_is_right_and_the_log_says_what_it_costs(tree):
    (tree / "file").touch()
    done = run(tree, "sum", WINDROW_NUMBA=str(tree / "file" / "below"), WINDROW_HOME=str(tree / "file" / "home"))
    assert (done.stdout, done.returncode) == ("60\n", 0), done.stderr
    assert "compiling two_stacks_lite, once" in done.stderr
    assert "is compiled by every process again: " in done.stderr


@pytest.fixture
def read_only(tree):
    """The tree with a folder of compiled code that holds what a sum needs, and to which no user may write."""
    assert answer(tree, "sum") == "60"
    modes = {part: part.stat().st_mode for part in (tree / "numba", *(tree / "numba").rglob("*"))}
    for part, mode in modes.items():
        part.chmod(mode & ~0o222)
    yield tree
    for part, mode in modes.items():
        part.chmod(mode)


@pytest.mark.nightly
def test_who_cannot_write_to_the_folder_reads_it_and_keeps_the_rest_in_a_home(read_only, tmp_path):
    home = give(tmp_path / "home")
    before = compiled(read_only)

    def answered(aggregate: str) -> tuple[str, str]:
        done = run(read_only, aggregate, as_user=as_other_user, WINDROW_HOME=str(home))
        return done.stdout, done.stderr

    assert answered("sum") == ("60\n", "")
    assert list(home.rglob("*.nbc")) == []
    assert answered("mean") == ("20.0\n", "compiling mean_int64, once: some seconds\n")
    assert {path.parents[1].name.split("-")[0] for path in home.rglob("*.nbc")} == {"mean"}
    assert answered("mean") == ("20.0\n", "")
    assert compiled(read_only) == before


def test_monoids_have_names_that_other_files_do_not_change():
    names = [name for function in functions() for name in monoids_of(function)]
    assert len(set(names)) == len(names)
    assert set(monoids_of("sum")) == {"sum_int64", "sum_float64", "sum_int64_share", "sum_float64_share"}
    assert set(monoids_of("argmin")) == {"argmin_int64", "argmin_float64", "argmin_int64_int64", "argmin_float64_int64"}
    assert set(monoids_of("count")) == {"count", "count_share"}


def test_every_file_that_an_aggregate_imports_is_in_its_digest(tree):
    found = cache._imported("windrow.kernels.monoids.std", {})
    assert {"windrow.kernels.monoids.std", "windrow.kernels.monoids.variance", "windrow.kernels.monoid"} <= set(found)
    assert not {name for name in found if name.startswith(("numba", "math", "windrow.kernels.runtime"))}


def is_module(name: str) -> bool:
    place = ROOT / name.removeprefix("windrow.").replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").is_file()


def test_what_the_digest_of_the_kernels_leaves_out_is_imported_by_none_of_them():
    """An edit of it would change no folder's name. The folders themselves, and what a heavy function is, compile
    nothing."""
    compiles_nothing = {*cache.APART, f"{cache.HEAVY_FUNCTIONS}._function"}
    for path in (ROOT / "kernels").rglob("*.py"):
        module = ".".join(("windrow", *path.relative_to(ROOT).with_suffix("").parts))
        if module.startswith(cache.APART):
            continue
        nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        names = {name for node in nodes for name in cache._names(node, module) if name}
        imported = {name for name in names if name.startswith(cache.APART) and is_module(name)}
        assert imported <= compiles_nothing, path
