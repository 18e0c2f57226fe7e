"""One fault at a time is put into a clone of the checkout's newest commit, set up by itself; the tests that execute its
place run, quick kinds first, until one fails. Then the fault is taken out again."""

import itertools
import json
import os
import re
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL
from typing import Any, NamedTuple

from pytest import ExitCode

from stack.places import REPOSITORY
from tools.mutants.faults import Fault
from windrow.pipelines.logged import say

GIT = ("git", "-c", "advice.detachedHead=false")
ENDED_BY_LIMIT = -1
_edits = itertools.count(1)

# The kinds of tests in the order of what they cost, and the seconds after which a fault has survived a kind's.
LIMITS_S = {"plain": 900, "slow": 900, "jvm": 1200, "airflow": 900, "nightly": 900}
# As plain Python a kernel says where it goes wrong; compiled, it would be compiled for each fault. Tests that fail so,
# most of them for the time that they take, run compiled, and only for what the others don't find.
PLAIN_PYTHON = {"NUMBA_DISABLE_JIT": "1"}
_NOT_THERE = re.compile(r"^ERROR: (?:file or directory )?not found: (.+)$", re.MULTILINE)
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


class Clone(NamedTuple):
    """A clone with environments of its own."""

    folder: Path

    @classmethod
    def ensure(cls, folder: Path, commit: str) -> "Clone":
        """Clone the commit and set it up, or bring an older clone to it. Minutes at first."""
        if not folder.exists():
            subprocess.run([*GIT, "clone", "--quiet", str(REPOSITORY), str(folder)], check=True)
        say(f"{folder.name}: setting up {commit}")
        for command in (["fetch", "--quiet"], ["checkout", "--quiet", "--force", commit]):
            subprocess.run([*GIT, *command], cwd=folder, check=True)
        clone = cls(folder)
        clone.clean()  # of what an ended measurement left
        subprocess.run(["make", "setup"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return clone

    def clean(self) -> None:
        """Take out faults and probes."""
        subprocess.run([*GIT, "checkout", "--quiet", "--force", "."], cwd=self.folder, check=True)
        subprocess.run([*GIT, "clean", "--quiet", "--force"], cwd=self.folder, check=True)

    @contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        """Within, the tree has the fault. Its file's time moves by seconds: Python compares those of its bytecode."""
        path = self.folder / fault.path
        source = path.read_bytes()
        try:
            self._write(path, fault.applied(source))
            yield
        finally:
            self._write(path, source)

    def pytest(self, options: list[str], environment: dict[str, str], limit_s: float) -> tuple[int, str]:
        """The exit code, ENDED_BY_LIMIT behind the limit, and what was printed."""
        command = [str(self.folder / ".venv" / "bin" / "python"), "-m", "pytest", *options]
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                printed, _ = process.communicate(timeout=limit_s)
                return process.returncode, printed
            except subprocess.TimeoutExpired:
                return ENDED_BY_LIMIT, ""
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, SIGKILL)

    def _write(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        moved = time.time() + 2 * next(_edits)
        os.utime(path, (moved, moved))


class Trial(NamedTuple):
    """What became of a fault. Killed: by which kind of test, and which; both are empty otherwise."""

    state: str  # killed, survived, uncovered, or equivalent
    by: str
    test: str
    tests_run: int
    ended_early: tuple[str, ...]  # kinds of which not all tests had run within the limit


def read_tests(recorded: Path) -> list[dict[str, Any]]:
    """What the recording says of each test (recording.py); of one that ran twice the last."""
    rows = (json.loads(line) for line in (recorded / "tests").read_text().splitlines())
    return list({row["test"]: row for row in rows}.values())


class Covering(NamedTuple):
    """Of each kind the tests that execute a place, those that take the least first; apart, those that fail without a
    fault as they were recorded."""

    passing: dict[str, list[str]]
    failing: dict[str, list[str]]

    @classmethod
    def of(cls, hits: Iterable[str], tests: list[dict[str, Any]]) -> "Covering":
        places = set(hits)
        hit = [test for test in tests if places & {test["test"], f"{test['test'].partition('::')[0]}::*", "*"}]
        hit.sort(key=lambda test: test["wall_s"])
        passing, failing = ([test for test in hit if test["passed"] == passed] for passed in (True, False))
        return cls(_by_kind(passing), _by_kind(failing))


def _by_kind(tests: list[dict[str, Any]]) -> dict[str, list[str]]:
    return {kind: [test["test"] for test in tests if test["kind"] == kind] for kind in LIMITS_S}


def try_covering(tree: Clone, fault: Fault, tests: Covering) -> Trial:
    """Kernels as plain Python first."""
    if not fault.is_of_kernels:
        return try_fault(tree, fault, tests.passing, {})
    found = try_fault(tree, fault, tests.passing, PLAIN_PYTHON)
    if found.state == "killed" or not any(tests.failing.values()):
        return found
    return try_fault(tree, fault, tests.failing, {})


def try_fault(tree: Clone, fault: Fault, tests: dict[str, list[str]], environment: dict[str, str]) -> Trial:
    """Put the fault in and run the tests, kind by kind, in that environment, until one fails that passes without it."""
    while True:
        with tree.with_fault(fault):
            found = _first_failure(tree, tests, environment)
        if not _fails_anyway(tree, found, environment):
            return found
        # A file that can't be imported stands for all of its tests.
        tests = {
            kind: [name for name in names if found.test not in (name, name.partition("::")[0])]
            for kind, names in tests.items()
        }


def _first_failure(tree: Clone, tests: dict[str, list[str]], environment: dict[str, str]) -> Trial:
    run, early = 0, []
    for kind, names in tests.items():
        if not names:
            continue
        run += len(names)
        code, printed = _run(tree, environment, kind, names)
        if code == ENDED_BY_LIMIT:
            early.append(kind)
        elif code not in (ExitCode.OK, ExitCode.NO_TESTS_COLLECTED):
            return Trial("killed", kind, _failed(tree, code, printed), run, tuple(early))
    return Trial("survived" if run else "uncovered", "", "", run, tuple(early))


def _failed(tree: Clone, code: int, printed: str) -> str:
    """The test that failed, or that is not there with the fault."""
    found = _FAILED.search(printed) or _NOT_THERE.search(printed)
    return found.group(1).removeprefix(f"{tree.folder}/") if found else f"pytest ended with {code}"


def _fails_anyway(tree: Clone, found: Trial, environment: dict[str, str]) -> bool:
    if not found.test.startswith("tests/"):
        return False
    code, printed = _run(tree, environment, found.by, [found.test])
    if _NOT_THERE.search(printed):
        raise RuntimeError(f"{tree.folder} has not the tests that were recorded:\n{printed[-2_000:]}")
    return code not in (ExitCode.OK, ExitCode.NO_TESTS_COLLECTED)


def _run(tree: Clone, environment: dict[str, str], kind: str, names: list[str]) -> tuple[int, str]:
    listed = tree.folder / "var" / "mutants-tests"
    listed.write_text("".join(f"{name}\n" for name in names))
    # A thread ends a kernel that would never end.
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "--timeout-method=thread"]
    options.append(f"@{listed}")
    if environment == PLAIN_PYTHON:
        options.append("--timeout=120")
    return tree.pytest(options, environment, LIMITS_S[kind])
