"""One word, one meaning: the glossary is in order and defines each word once, and private words are nowhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "schemas",
    "processes",
    "kernels",
    "pipelines",
    "dags",
    "stack",
    "docker",
    "samples",
    "benchmarks",
    "tools",
    "tests",
    "docs",
    "windrow",
)
AT_THE_TOP = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile")
ENDINGS = {".py", ".md", ".txt"}
# Words of this project's own that no reader knows, and the field's words for them.
PRIVATE = {
    "aloud": "with a message",
    "admit": "validate",
    "admitted": "validated",
    "beside": "alongside, next to",
    "besides": "also, apart from",
    "door": "dispatch",
    "doors": "dispatch",
    "entrance": "validation",
    "face": "window API",
    "faces": "window API",
    "judge": "parse, check",
    "judged": "parsed, checked",
    "judgement": "check",
    "judges": "parses, checks",
    "judging": "parsing, checking",
    "lend": "address_of",
    "mend": "fix",
    "mended": "fixed",
    "mending": "fixing",
    "mends": "fixes",
    "orphans": "orphan JVMs",
    "roster": "kernel selection",
    "said": "logged, reported",
    "soil": "mark dirty",
    "spilling": "DuckDB settings",
    "stopping": "signals",
    "tell": "report",
    "tells": "reports",
    "told": "reported",
}
# History, and values kept in tables, which stay as they are: a refusal's detail in quarantine, a column's comment. And
# names of an earlier version, which the changelog says what replaced.
KEPT = ("docs/decisions/", "tests/contracts/test_words.py")
CONTENTS = ("is said to last", "the reading, in the unit beside it")
CONTENTS += ("`Place.beside`", "`WINDROW_LINES_PER_JUDGE`")
# An underscore, or where a capital letter begins the next part of a name.
BETWEEN_PARTS = re.compile(r"_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
ROW = re.compile(r"^\| (?!word|---)([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def glossary_parts() -> list[list[tuple[str, str]]]:
    """The words that users read, and those of the code."""
    _, *parts = (ROOT / "docs/GLOSSARY.md").read_text().split("\n## ")
    return [[(word.strip(), meaning) for word, meaning in ROW.findall(part)] for part in parts]


def glossary() -> list[tuple[str, str]]:
    return [row for part in glossary_parts() for row in part]


def texts() -> list[Path]:
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS]
    return [path.relative_to(ROOT) for path in found] + [Path(name) for name in AT_THE_TOP]


def words_of(text: str) -> set[str]:
    """Words of a text, and the parts of its names: of `is_told` and `IsTold` the same two."""
    return set(re.findall(r"[a-z]+", BETWEEN_PARTS.sub(" ", text).lower()))


def test_the_glossary_defines_each_word_once():
    words = [each for word, _ in glossary() for each in word.split(", ")]
    assert len(words) > 60
    assert sorted(words) == sorted(set(words))


def test_each_part_of_the_glossary_is_in_alphabetical_order():
    of_users, of_code = ([word.lower() for word, _ in part] for part in glossary_parts())
    assert len(of_users) > 60 and len(of_code) > 60
    assert of_users == sorted(of_users) and of_code == sorted(of_code)


def test_no_meaning_uses_a_private_word():
    assert not [word for word, meaning in glossary() if words_of(meaning) & PRIVATE.keys()]


def test_the_parts_of_names_are_words():
    assert words_of("is_told, IsTold, JVMDoor: SPARK_FACE") == {"is", "told", "jvm", "door", "spark", "face"}


@pytest.mark.parametrize("path", [pytest.param(path, id=str(path)) for path in sorted(texts())])
def test_no_text_uses_a_private_word(path):
    if str(path).startswith(KEPT):
        return
    text = (ROOT / path).read_text()
    for phrase in CONTENTS:
        text = text.replace(phrase, "")
    found = words_of(text) & PRIVATE.keys()
    assert not found, {word: PRIVATE[word] for word in found}
