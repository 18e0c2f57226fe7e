"""`windrow check`, and what goes on next to a broken definition, as a user types it, in a copy of the tree."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.schemas.test_broken_definitions import edit
from tests.support.checkout import copied
from tests.support.command_line import Ended
from windrow.pipelines.config import Config
from windrow.samples import bikes
from windrow.schemas.errors import BrokenDefinition, NotServed, UnknownName, WrongParameter

pytestmark = pytest.mark.slow
QUERY, AGGREGATE = "examples/queries/bikes_daily.py", "kernels/monoids/mean.py"
COPIED = ("schemas", "kernels", "pipelines", "processes", "pyproject.toml")


@pytest.fixture
def tree(tmp_path) -> Path:
    return copied(tmp_path, *COPIED)


def settings_of(tree: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(tree), "WINDROW_HOME": str(tree / "var"), "WINDROW_LANDING": str(tree / "landing")}


IN_ONE_PROCESS = """
import contextlib, io, json, sys
from windrow.pipelines.cli._app import run
ended = []
for words in json.load(sys.stdin):
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = run(words)
    ended.append((code, out.getvalue(), error.getvalue()))
print(json.dumps(ended))
"""


def windrow(tree: Path, *commands: str) -> list[Ended]:
    """Run commands, one after the other in one process, which reads the definitions of the tree."""
    given, settings = json.dumps([shlex.split(command) for command in commands]), os.environ | settings_of(tree)
    how = {"capture_output": True, "text": True, "check": True, "timeout": 240}
    done = subprocess.run([sys.executable, "-c", IN_ONE_PROCESS], cwd=tree, env=settings, input=given, **how)
    return [Ended(*each) for each in json.loads(done.stdout.splitlines()[-1])]


def checked(tree: Path, *names: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """Exit code, and place and problem of each broken definition."""
    [ended] = windrow(tree, shlex.join(["check", *names, "--json"]))
    return ended.code, {row["name"]: (row["place"], row["problem"]) for row in ended.json if row["problem"]}


def test_all_definitions_of_the_repository_are_right(run, tmp_path):
    ended = run(Config(tmp_path, tmp_path), "check")
    assert ended.code == 0 and ended.error.endswith(" definitions are valid\n"), ended.error


@pytest.mark.nightly
def test_definitions_that_are_right_are_listed_and_a_name_that_is_none_is_answered_with_what_may_be_meant(tree):
    ended, unknown = windrow(tree, "check bikes bikes_daily sum --json", "check bikes_dayly")
    places = [("stream", "examples/streams/bikes.py"), ("query", QUERY), ("aggregate", "kernels/monoids/sum.py")]
    assert [(row["kind"], row["place"]) for row in ended.json] == places
    assert unknown.code == UnknownName.exit_code and "Did you mean 'bikes_daily'?" in unknown.error


MISTAKES = {
    "a_column": ('agg("mean", "trip_duration_s")', 'agg("mean", "trip_duration")', "Did you mean 'trip_duration_s'?"),
    "an_aggregate": ('agg("mean"', 'agg("meen"', " 'meen' isn't supported yet. Did you mean 'mean'? "),
    "an_aggregates_type": ('agg("mean", "trip_duration_s")', 'agg("mean", "user_type")',
                           "is 'mean over user_type of type string'; allowed: int64, bool, float64"),
    "a_parameter": ('agg("mean", "trip_duration_s")', 'agg("std", "trip_duration_s", ddof=2)', "ddof=2"),
    "a_policy": ("tumbling(size=timedelta(days=1), zone=", "policy('untill') or dict(zone=", "policy 'untill' isn't"),
}  # fmt: skip
MODEL, FUNCTION = "examples/models/bikes_anomalies.py", "kernels/farm/functions/quantiles.py"
MODELS = {
    "a_column": ('"trip_duration_s"', '"trip_duration"', "Did you mean 'trip_duration_s'?"),
    "a_columns_type": ('"trip_duration_s"', '"user_type"', "column of numbers (int64, float64, bool), not of"),
    "a_function": ('"median_deviation"', '"median_deviations"', " 'median_deviations' isn't supported yet"),
    "too_many_columns": ('"trip_duration_s",', '"trip_duration_s", "bike_id",', "allowed: 1 of them, for value"),
    "a_parameter": ("threshold=3.5", "threshhold=3.5", "'threshhold'. Did you mean 'threshold'? Allowed: "),
    "a_parameters_value": ("threshold=3.5", "threshold=-1.0", "allowed: a number from 0.0 to 1000000.0"),
    "a_name": ('name="farm_', 'name="', "is 'a_name'; allowed: 'farm_a_name', as its file is a_name"),
    "no_function": ("    function=heavy(", "    functions=heavy(", "unexpected keyword argument 'functions'"),
    "no_call": ('heavy("median_deviation", "trip_duration_s", threshold=3.5)', '"median_deviation"', "allowed: heavy("),
    "a_time_limit": ("    lateness=", "    seconds_a_window=0,\n    lateness=", "seconds_a_window is 0"),
    "a_window": ("tumbling(size=timedelta(days=1), zone=", "rolling(timedelta(1)) or dict(zone=", "such as tumbling"),
}  # fmt: skip


FUNCTIONS = {
    "no_such_name": ("FUNCTION = ", "FUNKTION = ", "which isn't there. Did you mean 'FUNKTION'?"),
    "one_scratch": ("lambda values: (2, 0)", "lambda values: 2", "TypeError: "),
    "no_outputs": ("    return names", "    return names[:0]", "outputs is (); allowed: a tuple of lower-case names, "),
    "five_outputs": ("    return names", "    return 5", "outputs is 5; allowed: a tuple"),
    "a_capital": ("    return names", "    return ('P50', 'p95')", "outputs is ('P50', 'p95'); allowed: a tuple"),
    "out_of_range": ("    return names", "    return names[99]", "IndexError: "),
}
AGGREGATES = {
    "no_syntax": ("def lower(", "def lower:(", "SyntaxError: "),
    "no_monoids": ("MONOIDS = (", "MONOID = (", "MONOIDS = tuple(…), which isn't there. Did you mean 'MONOID'?"),
    "no_state": ("    if state[5] == 0:", "    if stat[5] == 0:", "'stat' is not defined. Did you mean 'state'?"),
    "a_short_answer": ("return (0, True, False)", "return (0, True)", "lower is (0, True); allowed: (word, whether it"),
}
# What is copied for each mistake, and what its row is named before the file's name.
OF_KIND = {QUERY: (MISTAKES, ""), MODEL: (MODELS, "farm_"), FUNCTION: (FUNCTIONS, ""), AGGREGATE: (AGGREGATES, "")}
MORE_WINDOWS = {QUERY: ", policy, ", MODEL: " rolling, "}
ROWS = {f"{before}{name}": Path(of).with_name(f"{name}.py")
        for of, (mistakes, before) in OF_KIND.items() for name in mistakes}  # fmt: skip
REFUSED = [*MISTAKES, *(f"farm_{name}" for name in MODELS)]


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory) -> tuple[Path, dict[str, tuple[str, str]], dict[str, int]]:
    """A tree with a file for each mistake; what its check says; and the lines at which they were made."""
    tree, lines = copied(tmp_path_factory.mktemp("mistaken"), *COPIED), {}
    for of, (mistakes, before) in OF_KIND.items():
        for name, (old, new, _) in mistakes.items():
            file = str(ROWS[f"{before}{name}"])
            shutil.copy(tree / of, tree / file)
            if of in MORE_WINDOWS:
                edit(tree, file, f'{Path(of).stem}"', f'{name}"')
                edit(tree, file, ", tumbling\n" if of == QUERY else " tumbling\n", f"{MORE_WINDOWS[of]}tumbling\n")
            lines[f"{before}{name}"] = edit(tree, file, old, new)
    code, broken = checked(tree)
    assert code == BrokenDefinition.exit_code
    return tree, broken, lines


def test_every_mistake_has_a_row_with_its_file_and_nothing_else_has(mistaken):
    _, broken, lines = mistaken
    assert set(broken) == set(ROWS)
    for name, (place, problem) in broken.items():
        file, _, line = place.rpartition(":")
        assert file == str(ROWS[name]) and line.isdigit(), place
        mistakes, before = OF_KIND[next(of for of in OF_KIND if Path(of).parent == ROWS[name].parent)]
        assert mistakes[name.removeprefix(before)][2] in problem
        if mistakes is MISTAKES:
            assert int(line) == lines[name]


@pytest.mark.nightly
def test_replay_refuses_each_in_the_words_of_its_row(mistaken):
    tree, broken, _ = mistaken
    answers = windrow(tree, *(f"replay {name} --day 2018-10-01" for name in REFUSED))
    for name, ended in zip(REFUSED, answers, strict=True):
        place, problem = broken[name]
        assert ended.code in {kind.exit_code for kind in (BrokenDefinition, NotServed, WrongParameter)}
        assert f"error: {place}: {problem}" in ended.error


@pytest.mark.nightly
def test_a_model_among_the_queries_and_a_query_with_a_models_name_are_refused_and_the_model_stays(tree):
    shutil.copy(tree / MODEL, tree / "examples/queries/bikes_inquiry.py")
    edit(tree, "examples/queries/bikes_inquiry.py", "MODEL = ", "QUERY = ")
    edit(tree, "examples/queries/bikes_inquiry.py", '"farm_bikes_anomalies"', '"bikes_inquiry"')
    shutil.copy(tree / QUERY, tree / "examples/queries/farm_bikes_anomalies.py")
    edit(tree, "examples/queries/farm_bikes_anomalies.py", '"bikes_daily"', '"farm_bikes_anomalies"')
    code, broken = checked(tree)
    assert (code, set(broken)) == (BrokenDefinition.exit_code, {"bikes_inquiry", "queries.farm_bikes_anomalies"})
    assert "a Model(…) is written into models/" in broken["bikes_inquiry"][1]
    assert "one without 'farm_'" in broken["queries.farm_bikes_anomalies"][1]
    assert checked(tree, "farm_bikes_anomalies") == (0, {})


def test_the_others_keep_running_next_to_broken_ones(tree):
    bikes.write(tree / "landing", 2, date(2018, 10, 2))
    edit(tree, QUERY, "QUERY = Query(", "QUERY = Query((")
    edit(tree, "examples/streams/cdr.py", "STREAM = Stream(", "STREAM = Streem(")
    edit(tree, AGGREGATE, "def lower(", "def lower:(")
    commands = ("query 'select 1'", "ingest bikes", "ingest cdr", "query 'select * from bikes_daily_final'")
    asked, ingested, refused, shown, noted = windrow(tree, *commands, "runs --stale")
    assert (asked.code, ingested.code, noted.code) == (0, 0, 0), ingested.error
    assert (refused.code, shown.code) == (BrokenDefinition.exit_code,) * 2
    assert "error: examples/streams/cdr.py:" in refused.error and "Did you mean 'Stream'?" in refused.error
    assert f"error: {QUERY}:" in shown.error and "examples/streams/cdr.py:" in noted.error
