"""What a generator writes can be imported, and its test fails until the user says what is right.

Each runs in a copy of the tree, as `windrow new` would in a checkout.
"""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.checkout import copied
from tests.support.processes import python
from windrow.pipelines.cli._writing import KINDS, files_of, write
from windrow.schemas.errors import WrongParameter

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(1)]

ROOT = Path(__file__).parents[2]
# What isn't copied (kernels/, but for a new aggregate) is imported from here.
COPIED = ("schemas", "pipelines", "tests/schemas", "pyproject.toml")
ALL_PASSED, SOME_FAILED = 0, 1


@pytest.fixture
def tree(tmp_path) -> Path:
    """A copy of what generators write into."""
    return copied(tmp_path, *COPIED)


def run(tree: Path, *arguments: str, stdin: int = subprocess.DEVNULL, **settings: str) -> subprocess.CompletedProcess:
    """A Python module in the copy."""
    return python(
        "-m", *arguments, cwd=tree, env=os.environ | {"PYTHONPATH": str(ROOT)} | settings, stdin=stdin, timeout=None
    )


def new(tree: Path, kind: str, name: str, identity: str = "line") -> subprocess.CompletedProcess:
    asked = ("--identity", identity) if kind == "stream" else ()
    return run(tree, "windrow.pipelines", "new", kind, name, *asked)


def outcome(tree: Path, *tests: str, **settings: str) -> tuple[int, str]:
    ran = run(tree, "pytest", "-q", "-p", "no:cacheprovider", *tests, **settings)
    return ran.returncode, ran.stdout + ran.stderr


def fill_in(file: Path, pieces: dict[str, str]) -> None:
    """Replace pieces of a generated file, each of which must be there."""
    text = file.read_text()
    for piece, filled in pieces.items():
        assert piece in text, piece
        text = text.replace(piece, filled)
    file.write_text(text)


def test_a_terminal_is_asked_what_makes_an_event_one_and_the_same(tree):
    typed, terminal = os.openpty()
    os.write(typed, b"vessel, start\n")
    asked = run(tree, "windrow.pipelines", "new", "stream", "boats", stdin=terminal)
    assert "When are two records the same event?" in asked.stdout
    assert 'identity=("vessel", "start"),' in (tree / "examples/streams/boats.py").read_text()


@pytest.mark.nightly
def test_a_new_stream_fails_its_tests_until_real_lines_are_written_down(tree):
    made = new(tree, "stream", "boats")
    assert made.returncode == 0, made.stderr
    code, output = outcome(tree, "tests/schemas/test_stream_boats.py")
    assert code == SOME_FAILED
    assert "write at least three real lines into EVENTS" in output
    code, output = outcome(tree, "tests/schemas/test_every_stream.py", "-k", "boats and says_everything")
    assert code == SOME_FAILED, "a TODO must not pass as a definition"

    fill_in(tree / "examples/streams/boats.py", pieces={"TODO: ": "", '"TODO", low=0': '"kg", low=0'})
    line = "2018-08-01 10:00:00,2018-08-01 10:30:00,ferry,{}"
    event = ("lines", line, "2018-08-01 10:00", "2018-08-01 10:30", "2018-08-01 10:30")
    events = [(event[0], line.format(n), *event[2:], {"key": "ferry", "value": n}) for n in (1, 2, 3)]
    refused = [("lines", line.format(-1), "out of range")]
    fill_in(
        tree / "tests/schemas/test_stream_boats.py",
        pieces={
            "FILES: list[tuple[str, str]] = []": 'FILES = [("boats/a.csv", "start,end,key,value")]',
            "EVENTS: list[Event] = []": f"EVENTS: list[Event] = {events}",
            "REFUSED: list[tuple[str, str, str]] = []": f"REFUSED = {refused}",
        },
    )
    code, output = outcome(tree, "tests/schemas/test_stream_boats.py", "tests/schemas/test_every_stream.py")
    assert code == ALL_PASSED, output


def test_a_new_stream_takes_whole_files_and_none_that_still_arrives(tree):
    assert new(tree, "stream", "boats").returncode == 0
    paths = ["boats/a.csv", "boats/a.csv.gz", "boats/a.csv.part", "boats/a.csv.gz.part"]
    asked = (
        f"from windrow.schemas.parsing import belongs; from windrow.schemas.streams.boats import STREAM; print("
        f"[path for path in {paths} if belongs(STREAM, path)])"
    )
    output = python("-c", asked, cwd=tree)
    assert output.stdout.strip() == str(paths[:2]), output.stderr


EVENT = {"start": "2018-08-01 10:05", "arrival": "2018-08-01 10:15", "start_station_id": 7, "trip_duration_s": 600}
EMPTY, NO_ROWS = "EVENTS: list[dict] = []", "EXPECTED: list[dict] = []"
OF_QUERY = 'EXPECTED = [{"start_station_id": 7, "pane": "on_time", "events_counted": 1}]'
OF_MODEL = 'EXPECTED = [{"start_station_id": 7, "pane": "on_time", "tuples": 1, "status": "ok", "p50": 601.0}]'
NO_LABELS, LABEL = "LABELS: list[dict] = []", {"asked_at": "2018-08-01 10:14", "start_station_id": 7}
OF_FEATURES = 'EXPECTED = [{"events_counted_1h": 1, "events_counted_7d": 0}]'
IN_PLAIN_PYTHON = 'raise NotImplementedError("say in plain Python what {} is")'


class Generated(NamedTuple):
    """What is generated, its test, and what that says of what was not filled in; then what is filled in wrongly, what
    the test says of that, and how it is corrected. code, spoiled: of a generated file pieces that are filled in first,
    or made wrong at last, and what the test says then."""

    kind: str
    name: str
    test: str
    unfilled: str
    wrong: dict[str, str]
    says: str
    right: dict[str, str]
    code: tuple[str, dict[str, str]] | None = None
    spoiled: tuple[str, dict[str, str], str] | None = None


GENERATED = [
    Generated("query", "bikes_quiet", "semantics/test_query_bikes_quiet.py", "write events into EVENTS",
              {EMPTY: f"EVENTS = [{EVENT}, {EVENT}]", NO_ROWS: OF_QUERY}, " failed",
              {f"[{EVENT}, {EVENT}]": f"[{EVENT}]"}),
    Generated("model", "bikes_quiet", "semantics/test_model_bikes_quiet.py", "write events into EVENTS",
              {EMPTY: f"EVENTS = [{EVENT}]", NO_ROWS: OF_MODEL}, " failed", {"601.0": "600.0"}),
    Generated("features", "bikes_calm", "features/test_features_bikes_calm.py", "write events into EVENTS",
              {EMPTY: f"EVENTS = [{EVENT}]", NO_LABELS: f"LABELS = [{LABEL}]", NO_ROWS: OF_FEATURES}, " failed",
              {'"events_counted_1h": 1': '"events_counted_1h": 0'}),
    Generated("policy", "last_three", "semantics/test_policy_last_three.py",
              "write down what the policy has left after each of EVENTS",
              {"EXPECTED: list[tuple[int, int]] = []": "EXPECTED = [(0, 1), (0, 3), (0, 7), (1, 14), (2, 29)]"},
              " failed", {"(2, 29)": "(2, 28)"}),
    Generated("aggregate", "total", "kernels/test_aggregate_total.py", "say in plain Python what total is",
              {IN_PLAIN_PYTHON.format("total"): "return max(values)"}, "2 failed, 1 passed",
              {"return max(values)": "return sum(values) if values else None"},
              # Its test finds too that it would wrap unwatched.
              spoiled=("kernels/monoids/total.py", {'lower, "int64"),)': 'lower, "int64", checked=False),)'},
                       "1 failed, 2 passed")),
    Generated("function", "mean_of_squares", "kernels/test_function_mean_of_squares.py",
              "say in plain Python what mean_of_squares is",
              {IN_PLAIN_PYTHON.format("mean_of_squares"): 'return {"mean_of_squares": sum(values) / len(values)}'},
              "1 failed, 1 passed", {"sum(values)": "sum(value * value for value in values)"},
              ("kernels/farm/functions/mean_of_squares.py", {"total += values[i]": "total += values[i] * values[i]"})),
    Generated("window", "long_nights", "kernels/test_window_long_nights.py", "7 failed",
              {'raise NotImplementedError("say in plain Python which long_nights windows hold a time")':
               "first = time // window.size_us * window.size_us\n    return [(first, first + 2 * window.size_us)]"},
              "7 failed", {"2 * window.size_us": "window.size_us"},
              spoiled=("pipelines/gate/recount/kinds/long_nights.py", {"({number} + 1)": "({number} + 2)"},
                       "1 failed, 6 passed")),
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("made", GENERATED, ids=lambda made: made.kind)
def test_what_is_new_fails_its_test_until_it_is_filled_in_and_right(tree, made):
    if made.test.startswith("kernels/"):
        copied(tree, "kernels", "processes", "tests/support")
    # Windows are compiled anew, for minutes, where they lie elsewhere.
    settings = {"NUMBA_DISABLE_JIT": "1"} if made.kind == "window" else {}
    written = new(tree, made.kind, made.name)
    assert written.returncode == 0, written.stderr
    test = tree / "tests" / made.test
    if made.code:
        file, pieces = made.code
        fill_in(tree / file, pieces)
    code, output = outcome(tree, str(test), **settings)
    assert code == SOME_FAILED and made.unfilled in output, output
    fill_in(test, made.wrong)
    code, output = outcome(tree, str(test), **settings)
    assert code == SOME_FAILED and made.says in output, output
    fill_in(test, made.right)
    code, output = outcome(tree, str(test), **settings)
    assert code == ALL_PASSED, output
    if made.spoiled:
        file, pieces, says = made.spoiled
        fill_in(tree / file, pieces)
        code, output = outcome(tree, str(test), **settings)
        assert code == SOME_FAILED and says in output, output


SQUARES = """
from windrow.kernels.aggregators import make
from windrow.schemas.errors import AggregateFailed
from windrow.schemas.query import agg
window = make("two_stacks_lite", {"squares": agg("sum_of_squares", "v")}, column_types={"v": "int64"})
window.bulk_insert([1, 2], [3_000_000_000, -5])
print(window.query()["squares"] == 3_000_000_000**2 + 25)
window.bulk_insert([3], [4_000_000_000])
try:
    print(window.query())
except AggregateFailed as failed:
    print(failed)
"""


@pytest.mark.nightly
def test_the_sum_of_squares_of_the_docs_is_right_or_fails_over_all_of_int64(tree):
    copied(tree, "kernels")
    assert new(tree, "aggregate", "sum_of_squares").returncode == 0
    fill_in(tree / "kernels/monoids/sum_of_squares.py", pieces={"return (word, 1)": "return (word * word, 1)"})
    test = tree / "tests/kernels/test_aggregate_sum_of_squares.py"
    written = IN_PLAIN_PYTHON.format("sum_of_squares")
    fill_in(test, pieces={written: "return sum(value * value for value in values) if values else None"})
    code, output = outcome(tree, str(test))
    assert code == ALL_PASSED, output
    asked = python("-c", SQUARES, cwd=tree)
    assert asked.stdout.splitlines() == [
        "True",
        "sum_of_squares of column v is beyond int64 (±9,223,372,036,854,775,807); take a scaled-down or a float column "
        "instead",
    ], asked.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_a_generator_writes_new_files_only_and_overwrites_nothing(tree, kind):
    def texts() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in tree.rglob("*") if path.is_file() and path.suffix != ".pyc"}

    before = texts()
    made = new(tree, kind, "bikes_new")
    after = texts()
    assert {path: after[path] for path in before} == before
    written = {str(path.relative_to(tree)) for path in after.keys() - before.keys()}
    assert written == {path.replace("$name", "bikes_new") for path in files_of(kind, ROOT)}
    assert all(path in made.stdout for path in written)
    again = new(tree, kind, "bikes_new")
    assert again.returncode == 2 and "exists" in again.stderr and "Traceback" not in again.stderr
    assert texts() == after


def test_a_new_window_kind_is_a_file_per_layer_found_by_its_name(tree):
    copied(tree, "kernels", "processes")
    assert new(tree, "window", "long_nights").returncode == 0
    asked = (
        "from datetime import timedelta; from windrow.kernels.kinds import window_kind; "
        "from windrow.pipelines.gate.recount.kinds import in_sql; from windrow.schemas.windows import every_kind; "
        "found = {kind.kind: kind for kind in every_kind()}['long_nights']; window = found(timedelta(days=1)); "
        "print(found.__name__, type(window_kind(window.kind)).__name__, type(in_sql(window)).__name__)"
    )
    output = python("-c", asked, cwd=tree)
    assert output.stdout.split() == ["LongNights", "LongNightsKind", "LongNightsWindows"], output.stderr


@pytest.mark.parametrize("name", ["", "Boats", "1st", "a-b", "../boats", "class", "__init__", "cars_daily"])
def test_a_name_that_is_no_plain_name_or_a_query_s_without_its_stream_is_refused_with_an_example(tree, name):
    kind, said = ("query", "begins with a stream's") if name == "cars_daily" else ("stream", "such as boat_trips")
    refused = new(tree, kind, name)
    assert refused.returncode == 2 and said in refused.stderr
    assert ("streams: bikes" if kind == "query" else "lower-case letters, digits and _") in refused.stderr


def test_a_new_stream_has_the_identity_that_was_asked_for_and_without_one_the_choice_is_explained(tmp_path):
    """Nothing that is right for all could be chosen."""
    for name, asked, written in (
        ("a", "key,start", '("key", "start")'),
        ("b", "key", '("key",)'),
        ("c", "none", "None"),
    ):
        file, _ = write("stream", name, tmp_path, asked)
        assert f"identity={written}," in file.read_text()
    for asked in ("", "key;start", "Line"):
        with pytest.raises(WrongParameter, match="such as --identity key,start(?s:.*)repeats word for word is lost"):
            write("stream", "boats", tmp_path, asked)
