"""A plugin of pytest (-p tools.mutants.recording): what each test took, and which test a process works for now.

Each test writes one line to `tests` in WINDROW_PROBES: its id, its kind, whether it passed, its seconds and the
processor's, those of ended children included.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Of the marks of a test the first of these says its kind; none of them: plain.
KINDS = ("nightly", "airflow", "jvm", "slow")
FOLDER = Path(os.environ["WINDROW_PROBES"])
CURRENT = FOLDER / f"current-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"


def pytest_configure() -> None:
    os.environ["WINDROW_PYTEST"], os.environ["WINDROW_CURRENT_TEST"] = str(os.getpid()), str(CURRENT)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.stash[_TIMES] = os.times()
    item.stash[_PASSED] = True
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    _point_at(item, "setup")
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    _point_at(item, "call")
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    report = yield
    item.stash[_PASSED] &= report.outcome != "failed"
    if call.when == "teardown":
        before, now = item.stash[_TIMES], os.times()
        line = {
            "test": item.nodeid,
            "kind": kind_of(item),
            "passed": item.stash[_PASSED],
            "wall_s": round(now.elapsed - before.elapsed, 3),
            "cpu_s": round(sum(now[:4]) - sum(before[:4]), 3),
        }
        with open(FOLDER / "tests", "a") as file:
            file.write(json.dumps(line) + "\n")
    return report


def kind_of(item: pytest.Item) -> str:
    """What it takes to run a test."""
    return next((kind for kind in KINDS if item.get_closest_marker(kind)), "plain")


def _point_at(item: pytest.Item, phase: str) -> None:
    CURRENT.write_text(f"{item.nodeid} ({phase})")


_TIMES: pytest.StashKey[os.times_result] = pytest.StashKey()
_PASSED: pytest.StashKey[bool] = pytest.StashKey()
