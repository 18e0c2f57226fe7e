"""Pages of figures under docs/benchmarks: what is measured, a table, a picture, and what a check says of its shape."""

import os
import platform
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numba
import numpy as np

from windrow.pipelines.config import REPOSITORY

FOLDER = REPOSITORY / "docs" / "benchmarks"


def table(rows: list[dict]) -> str:
    """Rows as Markdown: whole numbers with their thousands apart, others with one decimal; what a row lacks is 0."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    rule = ["---" if isinstance(rows[0].get(name), str) else "--:" for name in names]
    lines = [names, rule, *([_cell(row.get(name, 0)) for name in names] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"


@dataclass
class Figure:
    """One figure: its heading, a sentence of what is measured, rows of its table, verdicts of its checks."""

    title: str
    measured: str
    rows: list[dict]
    verdicts: list[str] = field(default_factory=list)
    picture: str = ""

    def text(self) -> str:
        picture = [f"![{self.title}]({self.picture})"] if self.picture else []
        verdicts = "\n".join(f"- {verdict}" for verdict in self.verdicts)
        return "\n\n".join([f"## {self.title}", self.measured, table(self.rows), *picture, verdicts])


def machine() -> str:
    """Processor, commit and versions."""
    return (
        f"{_processor()}; commit {_commit()}; Python {platform.python_version()}, Numba "
        f"{numba.__version__}, NumPy {np.__version__}."
    )


def _processor() -> str:
    information, cores = Path("/proc/cpuinfo"), len(os.sched_getaffinity(0))
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {cores} cores"


def _commit() -> str:
    asked = subprocess.run(["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return asked.stdout.strip() or "unknown"


def verdict(holds: bool, statement: str) -> str:
    """A check's outcome in front of what it says with its numbers."""
    return f"{'As in the paper' if holds else 'NOT as in the paper'}: {statement}"


def claim(holds: bool, statement: str) -> str:
    """The same of what this project asks of itself."""
    return f"{'Holds' if holds else 'DOES NOT HOLD'}: {statement}"


def write(folder: Path, name: str, head: str, figures: list[Figure]) -> Path:
    """The page of some figures; `head` has its title and what holds for all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{name}.md"
    note = f"<!-- Made by `make bench-{name.split('-')[0]}`: run that again, don't edit this page. -->"
    title, _, rest = head.partition("\n")
    page.write_text("\n\n".join([title, note, rest.strip(), machine(), *(each.text() for each in figures)]) + "\n")
    return page
