"""What became of each fault: a file of a line each, added to as they are tried, so that a measurement goes on where it
was ended."""

import json
from pathlib import Path
from typing import NamedTuple

from schemas.errors import WrongParameter
from tools.mutants.faults import Fault
from tools.mutants.trials import Trial

FOLDER = Path("tests/power")


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
