"""What became of each fault: a file of a line each, added to as they are tried, so that a measurement goes on where it
was ended; and docs/tests-power.md: which of the faults the tests find, before and now.

Equivalent faults change nothing that a user can see, each with the reason; found by hand, mostly among those that
survived. They are not tried.
"""

import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from schemas.errors import WrongParameter
from stack.places import REPOSITORY
from tools.docs.markdown import grid
from tools.mutants.faults import FOLDERS, Fault
from tools.mutants.trials import LIMITS_S, Trial

FOLDER = Path("tests/power")
PAGE = REPOSITORY / "docs" / "tests-power.md"
HEAD = """# What the tests find

`make mutants` puts one small fault at a time into `kernels/`, `pipelines/`, `schemas/` or `dags/`
([which kinds](../tools/mutants/faults.py)), and runs the tests that execute its place, quick ones first, until one
fails that passes without it. Kernels run as plain Python then, by the tests of `tests/kernels/` and `tests/semantics/`
that run every time, and compiled for tests that plain Python is too slow for. A kind of test has a column: the faults
that it found first.
"""
SAME_LENGTHS = "both have as many entries, wherever they come from"
ONLY_SPEED = "the same answer, in another time"
RETURNED_BEFORE = "what is exactly that has returned before"
EXACTLY_THEN = "a clock that stands at exactly that moment: a message comes one look later"

EQUIVALENT: dict[str, str] = {
    "128e55e791": SAME_LENGTHS,
    "fc0a019edd": SAME_LENGTHS,
    "7936151946": "min of the same two",
    "f828ee8ec2": ONLY_SPEED,
    "31214c93f4": "a pane ends one row group later where bytes are equal; rows do not depend on panes",
    "300846c069": ONLY_SPEED,
    "66828e1aa5": EXACTLY_THEN,
    "f28a50eddb": ONLY_SPEED,
    "a9f4e3011f": ONLY_SPEED,
    "c56c1df0cc": ONLY_SPEED,  # notes only save a fold from its frame's beginning
    "3174be97ba": ONLY_SPEED,  # how often a replay looks whether it must stop
    "d896f45329": "chooses the levels that are looked at; what may leave is decided for each page",
    "8f9467aa7b": "the counts of the last place say only that enough is left of it, which no answer asks",
    "6f5714fc0a": RETURNED_BEFORE,
    "5042285e3c": RETURNED_BEFORE,
    "8231b2068d": "of no values only the length of the longest run is read, which says that there are none",
    "e0847f6993": ONLY_SPEED,  # which events of a key are sampled to choose its kernel
    "df941e35cb": ONLY_SPEED,  # a ring that is written out one node sooner
    "27195c3192": ONLY_SPEED,  # the stand-in of a monitor, in plain Python only: looks again at once
    "2f25dbf004": "an event of an empty range is in no stretch",
}


class TriedFault(NamedTuple):
    """A fault as the page shows it, and its trial."""

    fault: str
    path: str
    line: int
    function: str
    kind: str
    old: str
    new: str
    state: str  # killed, survived, uncovered, or equivalent
    by: str  # the kind of test that killed it
    test: str
    tests_run: int
    ended_early: list[str]  # kinds of tests of which not all had run within the limit

    @classmethod
    def of(cls, fault: Fault, trial: Trial) -> "TriedFault":
        described = (fault.name, fault.path, fault.line, fault.function, fault.kind, fault.old, fault.new)
        return cls(*described, *trial[:-1], list(trial.ended_early))


class Measurement(NamedTuple):
    """Results of the faults of a seed against the tests of a commit."""

    file: Path
    head: dict[str, object]
    results: list[TriedFault]

    @classmethod
    def read(cls, file: Path) -> "Measurement":
        head, *rows = (json.loads(line) for line in file.read_text().splitlines())
        return cls(file, head, [TriedFault(**row) for row in rows])

    @classmethod
    def begun(cls, file: Path, commit: str, count: int, seed: int) -> "Measurement":
        """The one of that file, which goes on at the commit that it began at, or a new one. WrongParameter where the
        file has other faults."""
        if file.exists():
            kept = cls.read(file)
            if (kept.head["count"], kept.head["seed"]) == (count, seed):
                return kept
            held = f"{file} has {kept.head['count']} faults of seed {kept.head['seed']}"
            raise WrongParameter("--name", file.stem, f"a name without results, or the same faults: {held}")
        head = {"commit": commit, "count": count, "seed": seed}
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(head) + "\n")
        return cls(file, head, [])

    def add(self, result: TriedFault) -> None:
        """Write one more down."""
        self.results.append(result)
        with open(self.file, "a") as file:
            file.write(json.dumps(result._asdict(), ensure_ascii=False) + "\n")


def write_page() -> None:
    """Write the page from the files of results."""
    measured = [Measurement.read(file) for file in sorted((REPOSITORY / FOLDER).glob("*.jsonl"))]
    PAGE.write_text("\n".join([HEAD, *(_measurement(each) for each in measured), _left(measured)]))


def _measurement(measured: Measurement) -> str:
    head = measured.head
    of = f"{len(measured.results)} of {head['count']} faults, seed {head['seed']}, at {str(head['commit'])[:7]}"
    title = f"## {measured.file.stem.capitalize()}: {of}"
    columns = ["folder", "faults", *LIMITS_S, "survived", "run by no test", "equivalent", "found"]
    rows = [
        _row(folder, [each for each in measured.results if each.path.startswith(f"{folder}/")]) for folder in FOLDERS
    ]
    note = f"\n{head['note']}\n" if "note" in head else ""
    return f"{title}\n{note}\n{grid([columns, *rows, _row('all', measured.results)])}\n"


def _row(name: str, results: list[TriedFault]) -> list[str]:
    real = [each for each in results if each.fault not in EQUIVALENT]
    by = Counter(each.by for each in real)
    states = Counter(each.state for each in real)
    found = f"{states['killed'] / len(real):.0%}" if real else ""
    numbers = [
        len(results),
        *(by[kind] for kind in LIMITS_S),
        states["survived"],
        states["uncovered"],
        len(results) - len(real),
    ]
    return [name, *map(str, numbers), found]


def _left(measured: list[Measurement]) -> str:
    by_fault = {each.fault: each for measurement in measured for each in measurement.results}
    found = {measurement.file.stem: {each.fault: each for each in measurement.results} for measurement in measured}
    rows = []
    for fault, result in by_fault.items():
        tried = {name: each.get(fault) for name, each in found.items()}
        states = {name: (each.by or each.state) if each else "" for name, each in tried.items()}
        if {"survived", "uncovered", "equivalent"} & set(states.values()):
            of = f"`{result.function}`" if result.function else "module"
            where, what = f"`{result.path}`, {of}", f"`{result.old}` → `{result.new}`"
            rows.append([fault, where, what, *states.values(), EQUIVALENT.get(fault, "")])
    columns = ["fault", "where", "what", *found, "equivalent, as"]
    return f"## Faults that survived, before or now, and those that change nothing\n\n{grid([columns, *rows])}\n"
