"""One word, one meaning: the glossary is in order and defines each word once."""

import re
from collections import Counter, defaultdict
from itertools import pairwise

from tests.contracts.test_layers import PACKAGES
from tests.support.rules import ROOT, assert_none, blanked, files, line_of

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
