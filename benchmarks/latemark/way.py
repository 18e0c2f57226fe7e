"""Ways: which there are, and one of them run as a process of its own.

    python -m benchmarks.latemark.way NAME QUESTION FOLDER INTO

FOLDER is as generator.py leaves it; INTO becomes a Parquet file, or a folder of such files, with the columns of the
question.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import NamedTuple

from benchmarks.latemark import ways


class LatemarkWay(NamedTuple):
    """One file of ways/: its name, its title on a page, and why it can't answer which questions."""

    name: str
    title: str
    no_answer: Mapping[str, str]

    @classmethod
    def of(cls, name: str) -> "LatemarkWay":
        """By its file's name."""
        module = import_module(f"{ways.__name__}.{name}")
        return cls(name, module.TITLE, module.NO_ANSWER)


def every_way() -> list[LatemarkWay]:
    """In the order of their files' names; Windrow's first."""
    names = sorted((each.name for each in iter_modules(ways.__path__)), key=lambda each: (each[0] != "w", each))
    return [LatemarkWay.of(name) for name in names if not name.startswith("_")]


def words_of(name: str, question: str, folder: Path, into: Path) -> list[str]:
    """The command of a way."""
    return [sys.executable, "-m", "benchmarks.latemark.way", name, question, str(folder), str(into)]


def main(name: str, question: str, folder: str, into: str) -> None:
    """Answer a question in one way."""
    import_module(f"{ways.__name__}.{name}").answer(question, Path(folder), Path(into))


if __name__ == "__main__":
    main(*sys.argv[1:])
