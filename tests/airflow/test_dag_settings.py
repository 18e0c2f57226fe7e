"""What windrow.toml says of DAGs: as Airflow parses a project's, and what is refused, by `windrow check` too."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.rules import ROOT, blocks
from windrow.schemas.errors import BrokenDefinition

pytestmark = pytest.mark.airflow
AIRFLOW_PYTHON = ROOT / ".venv-airflow" / "bin" / "python"
TOP, OTHERS = 'pool = "all"\nretries = 3\n', '[streams.cdr]\nschedule = "none"\n[queries.cdr_active]\n'
WRONG = """
[streams.bikes]
retires = 3
[streams.bieks]
owner = "mobility"
[streams.cdr]
schedule = "0 99 * * *"
[streams.telemetry]
notifier = "alerts:WORD"
[streams.phone_calls]
schedule = "0 0 30 2 *"
"""
# By table: what is wrong in it, and what is said of it.
REFUSED = {
    "[streams.bikes]": ("retires = 3", "is 'retires'. Did you mean 'retries'? Allowed: owner, pool, retries, "),
    "[streams.cdr]": ('schedule = "daily"', "schedule of [streams.cdr] is 'daily'; allowed: a cron of five fields"),
    "[streams.bieks]": ("retries = 3", "table of [streams] in windrow.toml is 'bieks'. Did you mean 'bikes'?"),
    "[queries.bikes_daily]": ("retries = -1", "retries of [queries.bikes_daily] is -1; allowed: a whole number"),
    "[queries.bikes_demand]": ('tags = ["a"]', "key of [queries.bikes_demand] in windrow.toml is 'tags'"),
    "[queries.bikes_in_use]": ("owner = 3", "owner of [queries.bikes_in_use] is 3; allowed: a text"),
    "[queries.bikes_last_hour]": ('notifier = "alerts"', "allowed: module:name"),
    "[queries.bikes_in_use_prorated]": ("retries = 1001", "is 1001; allowed: a whole number from 0 to 1,000"),
    "[streams.telemetry]": (f'tags = ["{"x" * 101}"]', "allowed: texts of at most 100 letters"),
    "[queries.bikes_refill]": ("most_task_seconds = 0", "allowed: a number of seconds, above 0"),
}


@pytest.fixture
def project(tmp_path) -> Path:
    """Of one stream and, beside it, two more with a query of one."""
    words = [sys.executable, "-m", "windrow.pipelines", "init", "mine", "--example", "bikes"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    for file in ("streams/cdr.py", "streams/telemetry.py", "queries/cdr_active.py"):
        shutil.copy(ROOT / "examples" / file, tmp_path / "mine" / file)
    (tmp_path / "mine/dags/alerts.py").write_text("WORD = 'none'\n\n\ndef on_failure(context):\n    print(context)\n")
    return tmp_path / "mine"


def parsed(project: Path, said: str) -> tuple[dict[str, dict], dict[str, str]]:
    """Its DAGs by their ids, and the import errors by their file's name; as the processor does, which finds modules
    beside the DAGs."""
    with (project / "windrow.toml").open("a") as settings:
        settings.write(said)
    facts, dags = project.parent / "facts.json", project / "dags"
    places = {"AIRFLOW_HOME": str(project.parent / "home"), "PYTHONPATH": str(dags)}
    words = [AIRFLOW_PYTHON, ROOT / "tests/support/airflow/dag_facts.py", dags, facts]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "WINDROW", "PYTHON"))}
    environment = kept | places | {"AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    subprocess.run(words, cwd=project.parent, env=environment, check=True, capture_output=True, timeout=120)
    found = json.loads(facts.read_text())
    return {dag["id"]: dag for dag in found["dags"]}, {Path(file).name: text for file, text in found["errors"].items()}


def test_each_key_holds_for_the_dags_of_its_stream_or_for_the_task_of_its_query(project):
    """By an Airflow of the checkout, which shows none of the checkout's own streams."""
    [shown] = blocks("docs/operations.md", "toml")
    dags, errors = parsed(project, f"{TOP}{shown}{OTHERS}")
    of_bikes = {f"bikes{behind}" for behind in ("", "_in_order", "_backfill", "_stale")}
    assert errors == {} and dags.keys() == {
        *of_bikes, "cdr", "cdr_backfill", "cdr_stale", "telemetry", "maintenance", "windrow_report",
    }  # fmt: skip
    assert [dags[name]["cron"] for name in ("bikes", "bikes_in_order", "telemetry", "cdr")] == [
        "0 3 * * *", "0 3 * * *", "0 0 * * *", None,
    ]  # fmt: skip
    for name, dag in dags.items():
        tasks = {task["id"]: task for task in dag["tasks"]}
        demand = tasks.pop("replay_bikes_demand", None)
        said = {(task["owner"], task["pool"], task["retries"], task["told"]) for task in tasks.values()}
        if name in of_bikes:
            assert said == {("mobility", "all", 5, True)}
            assert {"bikes", "city"} < {*dag["tags"]} and dag["late_after_s"] == 7200
        else:
            assert said == {("airflow", "all", 3, False)} and dag["late_after_s"] is None
        assert (demand is not None) is (name == "bikes")
    by_id = {task["id"]: task for task in dags["bikes"]["tasks"]}
    assert by_id["ingest"]["downstream"] == ["replay", "replay_bikes_demand"]
    demand = by_id["replay_bikes_demand"]
    assert demand["arguments"] == ["replay", "bikes_demand"] and "bikes_demand" not in by_id["replay"]["arguments"]
    assert (demand["owner"], demand["pool"], demand["retries"], demand["at_once"]) == ("mobility", "heavy", 1, 2)
    assert [task["id"] for task in dags["cdr"]["tasks"] if "replay" in task["arguments"]] == ["replay_cdr_active"]


def test_a_wrong_table_takes_down_the_dags_of_its_stream_alone_and_is_an_import_error(project):
    """Also what only Airflow finds wrong: the hour 99, the 30th of February, and a notifier that can't be called."""
    for name in ("phone_calls", "call_center"):
        shutil.copy(ROOT / "examples/streams" / f"{name}.py", project / "streams")
    dags, errors = parsed(project, WRONG)
    assert dags.keys() == {"call_center", "maintenance", "windrow_report"}
    [text] = errors.values()
    assert "schedule is '0 0 30 2 *'" in text and "notifier is 'alerts:WORD'" in text and "it can't be called" in text
    assert errors.keys() == {"windrow_broken.py"} and "schedule is '0 99 * * *'" in text
    assert "'retires'" in text and "Did you mean 'retries'?" in text and "Did you mean 'bikes'?" in text


def test_check_names_each_wrong_table_with_what_is_allowed(project):
    with (project / "windrow.toml").open("a") as settings:
        settings.writelines(f"{table}\n{line}\n" for table, (line, _) in REFUSED.items())
    words = [sys.executable, "-m", "windrow.pipelines", "check", "--json"]
    ended = subprocess.run(words, cwd=project, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == BrokenDefinition.exit_code, ended.stderr
    wrong = {row["name"]: row["problem"] for row in json.loads(ended.stdout) if row["kind"] == "settings"}
    assert wrong.keys() == REFUSED.keys()
    assert not [problem for table, problem in wrong.items() if REFUSED[table][1] not in problem]
