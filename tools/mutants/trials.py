"""One fault at a time is put into a clone; the tests that execute its place run, quick kinds first, until one fails."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pytest import ExitCode

from tools.mutants.faults import Fault
from tools.mutants.trees import ENDED_BY_LIMIT, Clone

# The kinds of tests in the order of what they cost, and the seconds after which a fault has survived a kind's.
LIMITS_S = {"plain": 900, "slow": 900, "jvm": 1200, "airflow": 900, "nightly": 900}
# As plain Python a kernel says where it goes wrong; compiled, it would be compiled for each fault.
PLAIN_PYTHON = {"NUMBA_DISABLE_JIT": "1"}
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


class RecordedTest(NamedTuple):
    """What the recording says of a test."""

    name: str
    kind: str
    passed: bool
    wall_s: float


class Trial(NamedTuple):
    """What became of a fault. Killed: by which kind of test, and which; both are empty otherwise."""

    fault: str
    state: str  # killed, survived, uncovered, or equivalent
    by: str
    test: str
    tests_run: int
    ended_early: tuple[str, ...]  # kinds of which not all tests had run within the limit


def read_tests(recorded: Path) -> list[RecordedTest]:
    """The recorded tests; of one that ran twice the last."""
    rows = (json.loads(line) for line in (recorded / "tests").read_text().splitlines())
    return list(
        {row["test"]: RecordedTest(row["test"], row["kind"], row["passed"], row["wall_s"]) for row in rows}.values()
    )


def covering(hits: Iterable[str], tests: list[RecordedTest]) -> dict[str, list[str]]:
    """Of each kind the tests to run, those that take the least first; those that fail without a fault are left out."""
    places = set(hits)
    chosen = [
        test
        for test in sorted(tests, key=lambda test: test.wall_s)
        if test.passed and places & {test.name, f"{test.name.partition('::')[0]}::*", "*"}
    ]
    return {kind: [test.name for test in chosen if test.kind == kind] for kind in LIMITS_S}


def try_fault(tree: Clone, fault: Fault, tests: dict[str, list[str]]) -> Trial:
    """Put the fault in and run the tests, kind by kind."""
    run, early = 0, []
    with tree.with_fault(fault):
        for kind, names in tests.items():
            if not names:
                continue
            run += len(names)
            code, printed = _run(tree, fault, kind, names)
            if "ERROR: not found: " in printed:
                raise RuntimeError(f"{tree.folder} has not the tests that were recorded:\n{printed[-2_000:]}")
            if code == ENDED_BY_LIMIT:
                early.append(kind)
            elif code not in (ExitCode.OK, ExitCode.NO_TESTS_COLLECTED):
                failed = _FAILED.search(printed)
                test = failed.group(1) if failed else f"pytest ended with {code}"
                return Trial(fault.name, "killed", kind, test, run, tuple(early))
    return Trial(fault.name, "survived" if run else "uncovered", "", "", run, tuple(early))


def _run(tree: Clone, fault: Fault, kind: str, names: list[str]) -> tuple[int, str]:
    listed = tree.folder / "var" / "mutants-tests"
    listed.write_text("".join(f"{name}\n" for name in names))
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", f"@{listed}"]
    if kind in ("plain", "slow"):
        options.append("--timeout=120")
    if kind == "nightly":
        options.append("--nightly")
    plain = PLAIN_PYTHON if fault.path.startswith("kernels/") else {}
    return tree.pytest(options, plain, LIMITS_S[kind])
