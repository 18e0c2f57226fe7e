"""Only a kind's own files know it: elsewhere no code names a kind of windows, so none can ask which one it has."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from kernels.windows import kinds
from schemas.windows import Window, every_kind
from tests.support.rules import ROOT, assert_none, files

FOLDERS = ("dags", "kernels", "pipelines", "schemas", "tools")
LANGUAGE, *SERVING = OWN = ("schemas/windows/", "kernels/windows/", "pipelines/gate/recount/kinds/")
# Kinds whose tuples a farm finds by other means than closed forms; frames; the words of the query language, the
# questions asked in it, and what is compiled at set-up.
USERS = ("kernels/farm/extents.py", "kernels/frames/rules/", "schemas/query.py", "schemas/queries/", "schemas/models/")
USERS += ("kernels/warm.py",)
# A plain walk of each that carries state.
PLAIN = "pipelines/gate/recount/plain/kinds/"
USERS += (PLAIN,)
# A drawing of each.
USERS += ("tools/docs/drawings.py",)
# Words that mean something else in most code.
ORDINARY = {"count", "delta", "month", "policy", "session", "week", "Count"}
CLASSES = {kind.__name__ for kind in every_kind() if kind.kind in kinds()}
NAMES = (CLASSES | set(kinds())) - ORDINARY


def test_no_code_but_its_own_names_a_kind():
    others = [path for path in files(*FOLDERS) if not str(path).startswith(OWN + USERS)]
    assert_none("no code but its own names a kind of windows", (place for path in others for place in named(path)))


def named(path: Path) -> Iterator[str]:
    """Where a file has a kind as a word of code: a name, a part after a dot, or a string of one word."""
    text = (ROOT / path).read_text()
    for node in ast.walk(ast.parse(text)) if any(name in text for name in NAMES) else ():
        words = {getattr(node, part, None) for part in ("id", "attr", "value")}
        yield from (f"{path}:{node.lineno} {word}" for word in words if word in NAMES)


def test_every_kind_that_is_served_has_a_file_of_its_name_in_each_layer_and_a_class_in_the_language():
    missing = [f"{folder} {kind}" for folder in SERVING for kind in sorted(set(kinds()) - kinds_of(folder))]
    missing += [f"{LANGUAGE} {kind}" for kind in sorted(set(kinds()) - {kind.kind for kind in of_the_language()})]
    assert_none("a kind has a file of its name in each layer, and a class in the language", missing)


def test_every_kind_that_carries_state_has_a_plain_walk():
    carrying = {kind.kind for kind in every_kind() if kind.kind in kinds() and not kind.context_free}
    assert kinds_of(PLAIN) == carrying


def test_every_file_of_the_query_language_has_a_kind_and_each_kind_a_name_of_its_own():
    found = of_the_language()
    assert {Path(inspect.getfile(kind)).stem for kind in found} == kinds_of(LANGUAGE)
    assert len({kind.kind for kind in found}) == len(found)


def of_the_language() -> list[type[Window]]:
    """Without what other tests write."""
    return [kind for kind in every_kind() if Path(inspect.getfile(kind)).is_relative_to(ROOT / LANGUAGE)]


def kinds_of(folder: str) -> set[str]:
    """By the files of a layer: of `frame/delta.py` the kind is `frame.delta`."""
    paths = [path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("[a-z]*.py")]
    return {".".join(path.with_suffix("").parts) for path in paths}
