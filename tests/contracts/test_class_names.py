"""A class's name has one meaning: no two classes share one, so that who meets a name needn't ask for its module."""

import re
from collections import defaultdict

from tests.contracts.test_layers import PACKAGES
from tests.support.rules import ROOT, assert_none, blanked, files, line_of

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
