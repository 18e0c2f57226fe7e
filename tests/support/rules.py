"""A rule of the tree is one test: it looks at every file, and names each place that breaks it."""

import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""Language and code of each block of a page."""
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])


def assert_none(rule: str, found: Iterable[str]) -> None:
    """`rule` says what is so and what to do; what was found is `path:line what`, in every file that breaks it."""
    places = list(found)
    assert not places, "\n  ".join([f"{rule}; {len(places)} found:", *places])


def files(*folders: str) -> list[Path]:
    """The Python files of folders, from the root on."""
    return sorted(path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py"))


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """A text without what a pattern finds; all else is on the line where it was."""
    return pattern.sub(lambda found: "\n" * found[0].count("\n"), text)


def blocks(page: str, language: str) -> list[str]:
    """The code of a page, by its path, that is set as of this language."""
    return [code for found, code in FENCED.findall((ROOT / page).read_text()) if found == language]
