"""What became of each fault: a file of a line each, added to as they are tried, so that a measurement goes on where it
was ended; and docs/tests-power.md: which of the faults the tests find, before and now. Equivalent ones
are not tried."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from stack.places import REPOSITORY
from tools.mutants.faults import FOLDERS, Fault
from tools.mutants.trials import LIMITS_S, Trial
from windrow.pipelines.docs.markdown import grid, page
from windrow.schemas.errors import WrongParameter

FOLDER = Path("tests/power")
PAGE = REPOSITORY / "docs" / "tests-power.md"
# Faults that change nothing that a user can see, each with the reason; found by hand, mostly among those that survived.
EQUIVALENT: dict[str, str] = json.loads((REPOSITORY / FOLDER / "equivalent.json").read_text())


Row = dict[str, Any]
"""A fault as the page shows it, and its trial."""


class Measurement(NamedTuple):
    """Results of the faults of a seed against the tests of a commit."""

    file: Path
    head: dict[str, object]
    results: list[Row]

    @classmethod
    def read(cls, file: Path) -> "Measurement":
        head, *rows = (json.loads(line) for line in file.read_text().splitlines())
        return cls(file, head, rows)

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

    def add(self, fault: Fault, trial: Trial) -> None:
        """Write one more down."""
        shown = {name: getattr(fault, name) for name in ("path", "line", "function", "kind", "old", "new")}
        self.results.append({"fault": fault.name, **shown, **trial._asdict()})
        with open(self.file, "a") as file:
            file.write(json.dumps(self.results[-1], ensure_ascii=False) + "\n")


def write_page() -> None:
    """Write the page from the files of results."""
    measured = [Measurement.read(file) for file in sorted((REPOSITORY / FOLDER).glob("*.jsonl"))]
    tables = "\n".join(map(_measurement, measured))
    PAGE.write_text(page("tests-power", measurements=tables, left=_left(measured)))


def _measurement(measured: Measurement) -> str:
    head = measured.head
    of = f"{len(measured.results)} of {head['count']} faults, seed {head['seed']}, at {str(head['commit'])[:7]}"
    title = f"## {measured.file.stem.capitalize()}: {of}"
    columns = ["folder", "faults", *LIMITS_S, "survived", "run by no test", "equivalent", "found"]
    rows = [
        _row(folder, [each for each in measured.results if each["path"].startswith(f"{folder}/")]) for folder in FOLDERS
    ]
    note = f"\n{head['note']}\n" if "note" in head else ""
    return f"{title}\n{note}\n{grid([columns, *rows, _row('all', measured.results)])}\n"


def _row(name: str, results: list[Row]) -> list[str]:
    real = [each for each in results if each["fault"] not in EQUIVALENT]
    by = Counter(each["by"] for each in real)
    states = Counter(each["state"] for each in real)
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
    by_fault = {each["fault"]: each for measurement in measured for each in measurement.results}
    found = {measurement.file.stem: {each["fault"]: each for each in measurement.results} for measurement in measured}
    rows = []
    for fault, result in by_fault.items():
        tried = {name: each.get(fault) for name, each in found.items()}
        states = {name: (each["by"] or each["state"]) if each else "" for name, each in tried.items()}
        if {"survived", "uncovered", "equivalent"} & set(states.values()):
            of = f"`{result['function']}`" if result["function"] else "module"
            where, what = f"`{result['path']}`, {of}", f"`{result['old']}` → `{result['new']}`"
            rows.append([fault, where, what, *states.values(), EQUIVALENT.get(fault, "")])
    columns = ["fault", "where", "what", *found, "equivalent, as"]
    return f"## Faults that survived, before or now, and those that change nothing\n\n{grid([columns, *rows])}\n"
