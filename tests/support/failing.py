"""A failure's first lines: which test says it of which case, what it found, and how to repeat just that."""

import os
import shlex
from collections.abc import Iterator
from textwrap import shorten

import pytest
from _pytest._code.code import ReprEntry

# What changes a test's examples or engine: a repetition needs it too.
_RANDOM = ("FUZZ_SEED", "FUZZ_CASES", "FAULTS_FIRST", "FAULTS_COUNT")
SETTINGS = ("HYPOTHESIS_PROFILE", "NUMBA_DISABLE_JIT", *(f"WINDROW_{name}" for name in _RANDOM))

# How Hypothesis's note begins, in its versions.
EXAMPLE = ("Failing test case: ", "Falsifying example: ")
MOST_OF_EXAMPLE = 300


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    report = yield
    if report.failed:
        _put_in_front(report, [in_words(item, call), *_example(call), f"repeat: {repetition(item)}"])
    return report


def _put_in_front(report: pytest.TestReport, lines: list[str]) -> None:
    """As the first entry of its traceback; of an error that has none, before its text."""
    chain = getattr(report.longrepr, "chain", None)
    if chain:
        chain[0][0].reprentries.insert(0, ReprEntry(lines, None, None, None, style="value"))
    else:
        report.longrepr = "\n".join([*lines, report.longreprtext])


def in_words(item: pytest.Item, call: pytest.CallInfo) -> str:
    """The test's class, its name as a sentence, its case, and the first line of its error."""
    name, _, case = item.name.partition("[")
    of_class = f"{item.cls.__name__}: " if getattr(item, "cls", None) else ""
    sentence = of_class + name.removeprefix("test_").replace("_", " ")
    of_case = f" [{case}" if case else ""
    phase = "" if call.when == "call" else f" ({call.when})"
    found = str(call.excinfo.value).partition("\n")[0] or call.excinfo.typename
    return f"{sentence}{of_case}{phase}: {found}"


def _example(call: pytest.CallInfo) -> list[str]:
    """Of a random test the example that fails, in a line; whole, it is below."""
    notes = getattr(call.excinfo.value, "__notes__", ())
    return [shorten(note, MOST_OF_EXAMPLE, placeholder=" …") for note in notes if note.startswith(EXAMPLE)][:1]


def repetition(item: pytest.Item) -> str:
    """The command that runs this test alone, as it ran here."""
    settings = [f"{name}={shlex.quote(os.environ[name])}" for name in SETTINGS if name in os.environ]
    fast, limit_s = item.config.getoption("fast"), item.config.getoption("timeout")
    options = [*(["--fast"] if fast else []), *([] if limit_s is None else [f"--timeout={limit_s:g}"])]
    return " ".join([*settings, ".venv/bin/python -m pytest", *options, shlex.quote(item.nodeid)])
