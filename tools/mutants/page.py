"""docs/tests-power.md: which of the faults the tests find, before and now."""

from collections import Counter

from stack.places import REPOSITORY
from tools.docs.markdown import grid
from tools.mutants.equivalent import EQUIVALENT
from tools.mutants.faults import FOLDERS
from tools.mutants.results import FOLDER, Measurement, TriedFault
from tools.mutants.trials import LIMITS_S

PAGE = REPOSITORY / "docs" / "tests-power.md"
HEAD = """# What the tests find

`make mutants` puts one small fault at a time into `kernels/`, `pipelines/`, `schemas/` or `dags/`
([which kinds](../tools/mutants/faults.py)), and runs the tests that execute its place, quick ones first, until one
fails that passes without it. Kernels run as plain Python then, by the tests of `tests/kernels/` and `tests/semantics/`
that run every time, and compiled for tests that plain Python is too slow for. A kind of test has a column: the faults
that it found first.
"""


def write() -> None:
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
