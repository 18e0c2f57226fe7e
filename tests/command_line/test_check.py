"""`windrow check`, and what goes on next to a broken definition, as a user types it, in a copy of the tree."""

import json
import os
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from samples import bikes
from schemas.errors import BrokenDefinition, NotServed, UnknownName, WrongParameter
from tests.schemas.test_broken_definitions import edit

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
QUERY, AGGREGATE = "schemas/queries/bikes_daily.py", "kernels/monoids/mean.py"
COPIED = ("schemas", "kernels", "pipelines", "processes")


@pytest.fixture
def tree(tmp_path) -> Path:
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def windrow(tree: Path, *words: str) -> subprocess.CompletedProcess:
    settings = {"PYTHONPATH": str(tree), "WINDROW_HOME": str(tree / "var"), "WINDROW_LANDING": str(tree / "landing")}
    return subprocess.run(
        [sys.executable, "-m", "pipelines", *words],
        cwd=tree,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=240,
    )


def checked(tree: Path, *names: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """Exit code, and place and problem of each broken definition."""
    done = windrow(tree, "check", *names, "--json")
    rows = json.loads(done.stdout)
    return done.returncode, {row["name"]: (row["place"], row["problem"]) for row in rows if row["problem"]}


def test_definitions_that_are_right_are_listed_and_nothing_else(tree):
    code, broken = checked(tree)
    assert (code, broken) == (0, {})
    rows = json.loads(windrow(tree, "check", "bikes", "bikes_daily", "sum", "--json").stdout)
    assert [(row["kind"], row["place"]) for row in rows] == [
        ("stream", "schemas/streams/bikes.py"),
        ("query", QUERY),
        ("aggregate", "kernels/monoids/sum.py"),
    ]


MISTAKES = {
    "a column": ('agg("mean", "trip_duration_s")', 'agg("mean", "trip_duration")', "Did you mean 'trip_duration_s'?"),
    "an aggregate": ('agg("mean"', 'agg("meen"', "is 'meen', which is not served yet; "),
    "an aggregate's type": (
        'agg("mean", "trip_duration_s")',
        'agg("mean", "user_type")',
        "is 'mean over user_type of type string'; allowed: int64, bool, float64",
    ),
    "an aggregate's parameter": ('agg("mean", "trip_duration_s")', 'agg("std", "trip_duration_s", ddof=2)', "ddof=2"),
    "a window": ("tumbling(size=timedelta(days=1), zone=", "session(timedelta(1)) or dict(zone=", "is 'session'"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_query_has_a_row_with_its_line_and_the_replay_refuses_it_in_the_same_words(tree, mistake):
    old, new, problem = MISTAKES[mistake]
    line = edit(tree, QUERY, old, new)
    if "session" in new:
        edit(tree, QUERY, "import Query, agg, tumbling", "import Query, agg, session, tumbling")
    code, broken = checked(tree)
    assert (code, list(broken)) == (BrokenDefinition.exit_code, ["bikes_daily"])
    assert broken["bikes_daily"][0] == f"{QUERY}:{line}" and problem in broken["bikes_daily"][1]
    assert windrow(tree, "check", "bikes_demand").returncode == 0
    replayed = windrow(tree, "replay", "bikes_daily", "--day", "2018-10-01")
    assert replayed.returncode in {kind.exit_code for kind in (BrokenDefinition, NotServed, WrongParameter)}
    assert f"error: {QUERY}:{line}: {broken['bikes_daily'][1]}" in replayed.stderr


MODEL, FUNCTION = "schemas/models/bikes_anomalies.py", "kernels/farm/functions/quantiles.py"
MODELS = {
    "a column": ('"trip_duration_s"', '"trip_duration"', "Did you mean 'trip_duration_s'?"),
    "a column's type": ('"trip_duration_s"', '"user_type"', "column of numbers (int64, float64, bool), not of"),
    "a function": ('"median_deviation"', '"median_deviations"', "is 'median_deviations', which is not served yet"),
    "too many columns": ('"trip_duration_s",', '"trip_duration_s", "bike_id",', "allowed: 1 of them, for value"),
    "a parameter": ("threshold=3.5", "threshhold=3.5", "'threshhold'; allowed: threshold, least"),
    "a parameter's value": ("threshold=3.5", "threshold=-1.0", "allowed: a number from 0.0 to 1000000.0"),
    "a name": ('"farm_bikes_anomalies"', '"bikes_anomalies"', "'farm_bikes_anomalies', as its file is bikes_anomalies"),
    "no function": ("    function=heavy(", "    functions=heavy(", "unexpected keyword argument 'functions'"),
    "no call": ('heavy("median_deviation", "trip_duration_s", threshold=3.5)', '"median_deviation"', "allowed: heavy("),
    "a time limit": ("    lateness=", "    seconds_a_window=0,\n    lateness=", "seconds_a_window is 0"),
    "a window": ("tumbling(size=timedelta(days=1), zone=", "rolling(timedelta(1)) or dict(zone=", "such as tumbling"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MODELS)
def test_a_wrong_model_has_a_row_and_the_farm_refuses_it_in_the_same_words(tree, mistake):
    old, new, problem = MODELS[mistake]
    edit(tree, MODEL, old, new)
    if "rolling" in new:
        edit(tree, MODEL, "import tumbling", "import rolling, tumbling")
    code, broken = checked(tree)
    assert (code, list(broken)) == (BrokenDefinition.exit_code, ["farm_bikes_anomalies"])
    place, text = broken["farm_bikes_anomalies"]
    assert place.startswith(f"{MODEL}:") and problem in text
    computed = windrow(tree, "farm", "bikes_anomalies", "--day", "2018-10-01")
    assert computed.returncode in {kind.exit_code for kind in (BrokenDefinition, NotServed, WrongParameter)}
    assert f"error: {place}: {text}" in computed.stderr


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("FUNCTION = ", "FUNKTION = ", "which isn't there. Did you mean 'FUNKTION'?"),
        ("    return 2, 0", "    return 2", "TypeError: "),
        ("    return names", "    return names[:0]", "outputs is (); allowed: a tuple of lower-case names, each once"),
        ("    return names", "    return 5", "outputs is 5; allowed: a tuple"),
        ("    return names", "    return ('P50', 'p95')", "outputs is ('P50', 'p95'); allowed: a tuple"),
        ("    return names", "    return names[99]", "IndexError: "),
    ],
)
def test_a_wrong_function_has_a_row(tree, old, new, problem):
    edit(tree, FUNCTION, old, new)
    code, broken = checked(tree, "quantiles", "farm_cdr_duration_quantiles")
    assert code == BrokenDefinition.exit_code
    assert broken["quantiles"][0].startswith(f"{FUNCTION}:") and problem in broken["quantiles"][1]


def test_a_model_among_the_queries_and_a_query_with_a_models_name_are_refused_and_the_model_stays(tree):
    shutil.copy(tree / MODEL, tree / "schemas/queries/bikes_inquiry.py")
    edit(tree, "schemas/queries/bikes_inquiry.py", "MODEL = ", "QUERY = ")
    edit(tree, "schemas/queries/bikes_inquiry.py", '"farm_bikes_anomalies"', '"bikes_inquiry"')
    shutil.copy(tree / QUERY, tree / "schemas/queries/farm_bikes_anomalies.py")
    edit(tree, "schemas/queries/farm_bikes_anomalies.py", '"bikes_daily"', '"farm_bikes_anomalies"')
    code, broken = checked(tree)
    assert (code, set(broken)) == (BrokenDefinition.exit_code, {"bikes_inquiry", "queries.farm_bikes_anomalies"})
    assert "a Model(…) is written into schemas/models/" in broken["bikes_inquiry"][1]
    assert "one without 'farm_'" in broken["queries.farm_bikes_anomalies"][1]
    assert checked(tree, "farm_bikes_anomalies") == (0, {})


def test_the_others_keep_running_next_to_broken_ones(tree):
    bikes.write(tree / "landing", 2, date(2018, 10, 2))
    edit(tree, QUERY, "QUERY = Query(", "QUERY = Query((")
    edit(tree, "schemas/streams/cdr.py", "STREAM = Stream(", "STREAM = Streem(")
    edit(tree, AGGREGATE, "def lower(", "def lower:(")
    assert windrow(tree, "query", "select 1").returncode == 0
    ingested = windrow(tree, "ingest", "bikes")
    assert ingested.returncode == 0, ingested.stderr
    refused = windrow(tree, "ingest", "cdr")
    assert refused.returncode == BrokenDefinition.exit_code
    assert "error: schemas/streams/cdr.py:" in refused.stderr and "Did you mean 'Stream'?" in refused.stderr
    shown = windrow(tree, "query", "select * from bikes_daily_final")
    assert shown.returncode == BrokenDefinition.exit_code and f"error: {QUERY}:" in shown.stderr
    noted = windrow(tree, "runs", "--stale")
    assert noted.returncode == 0 and "schemas/streams/cdr.py:" in noted.stderr


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("def lower(", "def lower:(", "SyntaxError: "),
        ("MONOIDS = (", "MONOID = (", "MONOIDS = tuple(…), which isn't there. Did you mean 'MONOID'?"),
        ("    if state[1] == 0:", "    if stat[1] == 0:", "name 'stat' is not defined. Did you mean 'state'?"),
        ("return (0, True, False)", "return (0, True)", "lower is (0, True); allowed: (word, whether it is null, "),
    ],
)  # fmt: skip
def test_a_wrong_aggregate_has_a_row_with_its_line(tree, old, new, problem):
    edit(tree, AGGREGATE, old, new)
    code, broken = checked(tree)
    assert code == BrokenDefinition.exit_code
    assert broken["mean"][0].startswith(f"{AGGREGATE}:") and problem in broken["mean"][1]
    assert checked(tree, "sum", "bikes_last_hour")[0] in (0, BrokenDefinition.exit_code)


def test_a_name_that_is_no_definition_is_answered_with_what_may_be_meant(tree):
    done = windrow(tree, "check", "bikes_dayly")
    assert done.returncode == UnknownName.exit_code
    assert "Did you mean 'bikes_daily'?" in done.stderr
