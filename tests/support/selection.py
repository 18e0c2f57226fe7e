"""Which tests run, and in which order: few cases of what is dear, a tenth of the rest by turns, and with --fast nothing
that is dear.

    pytest --fast                   what starts neither a JVM nor Airflow and doesn't take long; what starts one, fails
    pytest                          all but the nightly set, and one of ten parts of that: which, the commit says
    pytest --part 3/10              that part instead: repeats a run of another commit
    pytest --nightly -m "not nightly"    all but the nightly set
    pytest --nightly                everything; with --part 3/10 a tenth of everything
    pytest tests/…::test_…, -k …    what is named

The nightly set: what is marked `nightly`; of each test that is marked `jvm`, `airflow` or `slow` the cases beyond one,
or beyond n where it is marked `few(n)`; and of a file that is marked `few_tests(n)` those of them beyond n. A hash of
their names says which run every time. What is marked `takes` is dealt to the parts by its seconds: where a commit
changes one of these, the others may change parts.
tests/cluster and tests/image need what `make setup` does not bring: servers, and what builds images; tests/days takes
hours. Each is run by its name, as `make test-cluster`, `make test-image` and `make test-days` do.
No hand-kept list of files: a test that starts Java, or itself Airflow's Python, and has no mark fails with --fast.
"""

import hashlib
import os
import re
import subprocess
import sys
from collections import defaultdict
from heapq import heappop, heappush
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path

import pytest

from stack.places import AIRFLOW_ENVIRONMENT, REPOSITORY
from windrow.schemas.errors import WrongParameter

MARKS = {
    "airflow": "starts Airflow, or its Python",
    "jvm": "starts a JVM",
    "slow": "takes long without either",
}
NIGHTLY, FEW, FEW_TESTS, TAKES = "nightly", "few", "few_tests", "takes"
FEW_DEAR_CASES = 1
PARTS = 10
# Fixtures that start one by themselves, or take half a minute.
FIXTURES = {"through_spark": "jvm", "set_up": "jvm", "first_published": "slow"}
# A file that says so of all its tests isn't imported for --fast: a third of the files, and the dearest to import.
WHOLLY_DEAR = re.compile(rf"^pytestmark = .*\bpytest\.mark\.(?:{'|'.join(MARKS)})\b", re.MULTILINE)
BY_NAME = ("cluster", "image", "days")
NO_JAVA = Path(__file__).with_name("no_java")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="everything, the nightly set too")
    parser.addoption("--fast", action="store_true", help=f"leave out what is marked {', '.join(MARKS)}")
    parser.addoption("--part", metavar="K/N", help="of the nightly set part K of N; with --nightly, of everything")


def pytest_configure(config: pytest.Config) -> None:
    for mark, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{mark}: {meaning}; left out by --fast")
    config.addinivalue_line("markers", f"{NIGHTLY}: takes longer than make test has; a tenth of these runs in it")
    config.addinivalue_line("markers", f"{FEW}(n): of its cases n run every time, the others are {NIGHTLY}")
    config.addinivalue_line(
        "markers", f"{FEW_TESTS}(n): of a file's dear tests n run every time, the others are {NIGHTLY}"
    )
    config.addinivalue_line(
        "markers",
        f"{TAKES}(seconds): about so long, its share where a file is dealt as a whole: no part has most of these",
    )
    if config.getoption("fast") and config.getoption("part") and not hasattr(config, "workerinput"):
        raise pytest.UsageError("--part is of the nightly set, of which --fast runs nothing: leave one of them out")
    # Chosen once: workers get it as an option.
    config.option.part = config.getoption("part") or _default_part(config)
    _part(config)  # or refused
    if config.getoption("fast"):
        let_none_start()


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.getoption("fast") or _is_named(config):
        return None
    part, parts = _part(config)
    of = "everything" if config.getoption("nightly") else "the nightly set"
    return f"part {part} of {parts} of {of}: repeat with --part {part}/{parts}" if parts > 1 else "everything"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path in [config.rootpath / "tests" / name for name in BY_NAME]:
        asked_for = [(config.invocation_params.dir / word.partition("::")[0]).resolve() for word in config.args]
        return not any(path.is_relative_to(collection_path) for path in asked_for) or None
    if not config.getoption("fast") or _is_named(config) or not collection_path.name.startswith("test_"):
        return None
    return bool(WHOLLY_DEAR.search(collection_path.read_text())) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in set(FIXTURES) & set(getattr(item, "fixturenames", ())):
            item.add_marker(FIXTURES[fixture])
    if not _is_named(config):
        _mark_all_but_few(items)
        _mark_all_but_few_tests(items)
        left_out = _left_out(items, config)
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
    _spread_airflow(items)


def _is_named(config: pytest.Config) -> bool:
    """By -k and -m too, but not where these choose among what --nightly or --fast runs."""
    by_words = config.getoption("keyword") or config.getoption("markexpr")
    in_a_set = config.getoption("nightly") or config.getoption("fast")
    return bool(by_words and not in_a_set) or any("::" in argument for argument in config.args)


def _mark_all_but_few(items: list[pytest.Item]) -> None:
    cases: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not item.get_closest_marker(NIGHTLY):
            cases[item.nodeid.partition("[")[0], _kind(item)].append(item)
    for (_, kind), of_function in cases.items():
        few = of_function[0].get_closest_marker(FEW)
        most = few.args[0] if few else FEW_DEAR_CASES if kind else len(of_function)
        for item in sorted(of_function, key=_draw)[most:]:
            item.add_marker(NIGHTLY)


def _mark_all_but_few_tests(items: list[pytest.Item]) -> None:
    of_file: dict[Path, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker(FEW_TESTS) and _kind(item) and not item.get_closest_marker(NIGHTLY):
            of_file[item.path].append(item)
    for found in of_file.values():
        [most] = found[0].get_closest_marker(FEW_TESTS).args
        for item in sorted(found, key=lambda item: _hash(item.nodeid))[most:]:
            item.add_marker(NIGHTLY)


def _kind(item: pytest.Item) -> str:
    return " ".join(mark for mark in MARKS if item.get_closest_marker(mark))


def _draw(item: pytest.Item) -> int:
    """Equal for equal cases of a file, and for tests without cases of a file that is nightly as a whole: what a fixture
    makes for one serves the others."""
    file, _, _ = item.nodeid.partition("::")
    _, _, case = item.nodeid.partition("[")
    return _hash(f"{file}[{case}" if case or _is_of_a_nightly_file(item) else item.nodeid)


def _is_of_a_nightly_file(item: pytest.Item) -> bool:
    module = item.getparent(pytest.Module)
    return module is not None and module.get_closest_marker(NIGHTLY) is not None


def _turns(items: list[pytest.Item], parts: int) -> dict[pytest.Item, int]:
    """Dealt like cards, so that no part has most of what is dear: those of a file go to the parts one by one; what is
    marked `takes` goes, the dearest first, to the part that has least of such."""
    cards: dict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        cards[_card(item)].append(item)
    seconds = {card: sum(map(_seconds, of_card)) for card, of_card in cards.items()}
    turns = _by_seconds({card: each for card, each in seconds.items() if each}, parts)
    others = sorted(card for card, each in seconds.items() if not each)
    for file, of_file in groupby(others, key=itemgetter(0)):
        turns |= zip(of_file, count(_hash(file)), strict=False)
    return {item: turns[card] for card, of_card in cards.items() for item in of_card}


def _card(item: pytest.Item) -> tuple[str, int]:
    """A test's file and draw; of a file that starts Airflow, for minutes, and for no test of every run, the file alone:
    what a fixture makes for one serves the others."""
    file, _, _ = item.nodeid.partition("::")
    starts_for_these = item.config.getoption("nightly") or _is_of_a_nightly_file(item)
    is_whole = item.get_closest_marker("airflow") and starts_for_these
    return file, 0 if is_whole else _draw(item)


def _seconds(item: pytest.Item) -> int:
    takes = item.get_closest_marker(TAKES)
    return takes.args[0] if takes else 0


def _by_seconds(seconds: dict[tuple[str, int], int], parts: int) -> dict[tuple[str, int], int]:
    dealt, turns = [(0, part) for part in range(parts)], {}
    for card in sorted(seconds, key=lambda card: (-seconds[card], card)):
        least, turns[card] = heappop(dealt)
        heappush(dealt, (least + seconds[card], turns[card]))
    return turns


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def _left_out(items: list[pytest.Item], config: pytest.Config) -> set[pytest.Item]:
    nightly = {item for item in items if item.get_closest_marker(NIGHTLY)}
    if config.getoption("fast"):
        return nightly | {item for item in items if _kind(item)}
    part, parts = _part(config)
    by_turns = items if config.getoption("nightly") else [item for item in items if item in nightly]
    return {item for item, turn in _turns(by_turns, parts).items() if turn % parts != part % parts}


def _part(config: pytest.Config) -> tuple[int, int]:
    """The part that runs, from 1 on, and how many there are."""
    asked = config.getoption("part")
    part, _, parts = asked.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise pytest.UsageError(str(WrongParameter("--part", asked, "K/N, such as 3/10")))
    return int(part), int(parts)


def _default_part(config: pytest.Config) -> str:
    return "1/1" if config.getoption("nightly") else f"{_commits() % PARTS + 1}/{PARTS}"


def _commits() -> int:
    """How many commits there are up to this one, a merge being one: ten of them in a row run ten parts. 0 without git,
    and 1 in a clone without a history."""
    command = ["git", "rev-list", "--count", "--first-parent", "HEAD"]
    counted = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    return int(counted.stdout) if counted.returncode == 0 else 0


def _spread_airflow(items: list[pytest.Item]) -> None:
    """Files that start Airflow are spread over the run: two workers that start one each, with Spark behind it, at once
    have two cores for four JVMs and two schedulers. With three such workers tests failed; with two a task once waited
    106 s."""
    by_file = [list(tests) for _, tests in groupby(items, key=lambda item: item.path)]
    starting = [tests for tests in by_file if any(item.get_closest_marker("airflow") for item in tests)]
    others = [tests for tests in by_file if tests not in starting]
    edges = [number * len(others) // max(len(starting), 1) for number in range(len(starting) + 1)]
    spread = []
    for tests, first, end in zip(starting, edges, edges[1:], strict=False):
        spread += [tests, *others[first:end]]
    items[:] = [item for tests in spread or others for item in tests]


def let_none_start() -> None:
    """From now on, in this process and those that it starts, `java` is a program that fails; Airflow's are refused."""
    os.environ["JAVA_HOME"] = str(NO_JAVA)
    os.environ["PATH"] = f"{NO_JAVA / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    sys.addaudithook(_refuse_airflow)


def _refuse_airflow(event: str, arguments: tuple) -> None:
    if event == "subprocess.Popen" and str(arguments[0]).startswith(str(AIRFLOW_ENVIRONMENT)):
        raise AssertionError("a test that starts Airflow is marked airflow: --fast lets none start")
