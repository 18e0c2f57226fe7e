"""Rules of the tree's words. One word, one meaning: the glossary defines each word once, a class's name has one
meaning. Lake and landing are listed, moved and looked at in storage.py alone: below a URI nothing else knows how. Only
a kind's own files know it: elsewhere no code names a kind of windows, so none can ask which one it has."""

import ast
import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tests.contracts.test_layers import PACKAGES
from tests.support.rules import ROOT, assert_none, blanked, files, line_of
from windrow.kernels.kinds import kinds
from windrow.schemas.windows import Window, every_kind

ROW = re.compile(r"^\| (?!word|---)([^|]+) \| [^|]+ \|$", re.MULTILINE)


def glossary_parts() -> list[list[str]]:
    """The words that users read, and those of the code."""
    _, *parts = (ROOT / "docs/GLOSSARY.md").read_text().split("\n## ")
    rows = [[word.strip() for word in ROW.findall(part)] for part in parts]
    assert len(rows) == 2 and min(map(len, rows)) > 60
    return rows


def test_the_glossary_defines_each_word_once():
    words = Counter(each for part in glossary_parts() for row in part for each in row.split(", "))
    assert_none("docs/GLOSSARY.md defines each word once", (word for word, times in words.items() if times > 1))


def test_each_part_of_the_glossary_is_in_alphabetical_order():
    neighbours = [pair for part in glossary_parts() for pair in pairwise(part)]
    wrong = [f"{word} stands after {before}" for before, word in neighbours if before.lower() > word.lower()]
    assert_none("each part of docs/GLOSSARY.md is in alphabetical order", wrong)


SHARED = {
    "Sizes": "how much an experiment of benchmarks/ measures: each says so for itself",
}
CLASS = re.compile(r"^\s*class (\w+)[(:\[]", re.MULTILINE)
STRING = re.compile(r'"""[\s\S]*?"""')


def places() -> dict[str, list[str]]:
    """Where classes are defined, by name."""
    found = defaultdict(list)
    for path in files(*PACKAGES, "docker"):
        text = blanked(STRING, (ROOT / path).read_text())
        for each in CLASS.finditer(text):
            found[each[1]].append(f"{path}:{line_of(text, each.start(1))} {each[1]}")
    return found


def test_a_class_name_has_one_meaning():
    shared = [place for name, found in places().items() if len(found) > 1 and name not in SHARED for place in found]
    assert_none("a class's name has one meaning: give one of them another", shared)


# Of what lies on this machine only: programs, settings, locks, scratch; pages of Great Expectations and of the report.
OF_THIS_MACHINE = {
    "pipelines/airflow/credentials.py",
    "pipelines/airflow/settings.py",
    "pipelines/cli/_shell.py",
    "pipelines/cli/_writing.py",
    "pipelines/cli/starting.py",
    "pipelines/config.py",
    "pipelines/engines/spark/archive.py",
    "pipelines/engines/spark/executors.py",
    "pipelines/engines/spark/jars.py",
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
    "pipelines/setting_up.py",
}
# What reads a file that is opened through storage.
OF_OPEN_FILES = {"pipelines/ingest/packings.py"}
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


FOLDERS = ("dags", "kernels", "pipelines", "schemas", "tools")
LANGUAGE, *SERVING = OWN = ("schemas/windows/", "kernels/kinds/", "pipelines/gate/recount/kinds/")
# Kinds whose tuples a farm finds by other means than closed forms; frames; the words of the query language, the
# questions asked in it, and what is compiled at set-up.
USERS = (
    "kernels/farm/extents.py",
    "kernels/frames/_kinds.py",
    "schemas/query.py",
    "examples/queries/",
    "examples/models/",
)
USERS += ("kernels/warm.py",)
# Windows of features end at a label's time, as rolling windows do at an event's.
USERS += ("schemas/feature_set.py",)
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
    of_layer = {folder: kinds_of(folder) | (kinds_of(PLAIN) if "recount" in folder else set()) for folder in SERVING}
    missing = [f"{folder} {kind}" for folder, has in of_layer.items() for kind in sorted(set(kinds()) - has)]
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
    return [kind for kind in every_kind() if Path(inspect.getfile(kind)).resolve().is_relative_to(ROOT / LANGUAGE)]


def kinds_of(folder: str) -> set[str]:
    """By the files of a layer: of `frame/delta.py` the kind is `frame.delta`."""
    paths = [path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("[a-z]*.py")]
    return {".".join(path.with_suffix("").parts) for path in paths}
