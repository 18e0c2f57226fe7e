"""Only a kind's own files know it: elsewhere no code names a kind of windows, so none can ask which one it has."""

import ast
from pathlib import Path

import pytest

from kernels.windows import kinds
from schemas.windows import every_kind

ROOT = Path(__file__).parents[2]
FOLDERS = ("dags", "kernels", "pipelines", "schemas", "tools")
OWN = ("schemas/windows/", "kernels/windows/", "pipelines/gate/recount/kinds/")
# Kinds whose tuples a farm finds by other means than closed forms; the words of the query language, the questions asked
# in it, and what is compiled before anybody asks.
USERS = ("kernels/farm/extents/", "schemas/query.py", "schemas/queries/", "schemas/models/", "kernels/warm.py")
# Frames, and what makes their rules.
USERS += ("kernels/frames/rules/", "kernels/frames/_making.py")
# A drawing of each.
USERS += ("tools/docs/drawings.py",)
# Words that mean something else in most code.
ORDINARY = {"count", "delta", "policy", "session", "Count"}
CLASSES = {kind.__name__ for kind in every_kind() if kind.kind in kinds()}
FILES = sorted(path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def names(node: ast.AST) -> set[str]:
    """The words of code: names, parts after a dot, and strings of one word."""
    found = (getattr(each, part, None) for each in ast.walk(node) for part in ("id", "attr", "value"))
    return {each for each in found if isinstance(each, str)}


@pytest.mark.parametrize("path", [pytest.param(path, id=str(path)) for path in FILES])
def test_no_code_but_its_own_names_a_kind(path):
    if not str(path).startswith(OWN + USERS):
        assert not names(ast.parse((ROOT / path).read_text())) & (CLASSES | set(kinds())) - ORDINARY


@pytest.mark.parametrize("folder", OWN)
def test_every_kind_that_is_served_has_a_file_of_its_name_in_each_layer(folder):
    assert set(kinds()) <= kinds_of(folder)


def test_a_file_of_the_query_language_is_one_kind():
    files = kinds_of("schemas/windows")
    found = {kind.__module__.removeprefix("schemas.windows."): kind.kind for kind in every_kind()}
    assert {name: found.get(name) for name in files} == {name: name for name in files}


def kinds_of(folder: str) -> set[str]:
    """By the files of a layer: of `frame/delta.py` the kind is `frame.delta`."""
    paths = [path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("[a-z]*.py")]
    return {".".join(path.with_suffix("").parts) for path in paths}
