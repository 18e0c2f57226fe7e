"""Windrow as a provider in an Airflow that is not ours: the wheel next to Airflow's packages, and a project's dags/."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stack import uv
from tests.support import wheels
from tests.support.rules import ROOT, blocks

pytestmark = pytest.mark.airflow
AIRFLOW_PYTHON = ROOT / ".venv-airflow" / "bin" / "python"
# A real DagBag, as the processor makes it; then one task, as a worker has it.
PARSE = """
import json, sys
from airflow.dag_processing.dagbag import DagBag
from airflow.plugins_manager import get_plugin_info
from airflow.providers_manager import ProvidersManager
bag, providers = DagBag(sys.argv[1]), ProvidersManager()
ours = [module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "windrow" and module.__file__]
print(json.dumps({
    "errors": list(bag.import_errors.values()), "dags": sorted(bag.dags), "ours": ours,
    "provider": "windrow" in providers.providers, "hook": providers.hooks["windrow"].hook_name,
    "fields": sorted(name for name in providers.connection_form_widgets if "windrow" in name),
    "plugins": sorted(each["name"] for each in get_plugin_info() if each["name"].startswith("windrow")),
}))
if len(sys.argv) > 2:
    bag.dags["bikes"].get_task("ingest").execute({"run_id": "m", "params": {"day": None}, "ds": "2018-10-01"})
"""
COMMAND = """#!/bin/sh
echo "home $WINDROW_HOME, engine $WINDROW_ENGINE, locks $WINDROW_LOCKS, project $WINDROW_PROJECT: $*"
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("site")
    command = [uv.ensure(), "pip", "install", "--no-deps", "--offline", "--quiet", "--python", AIRFLOW_PYTHON]
    wheel = wheels.built(tmp_path_factory.mktemp("wheel"))
    subprocess.run([*command, "--target", folder, wheel], check=True, timeout=120)
    return folder


@pytest.fixture
def project(tmp_path) -> Path:
    command = [sys.executable, "-m", "windrow.pipelines", "init", "trips", "--example", "bikes"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    return tmp_path / "trips"


def parsed(site: Path, project: Path, *words: str, **variables: str) -> subprocess.CompletedProcess:
    """By Airflow's Python without our editable install: -S leaves out the link to the checkout, the packages stay."""
    packages = next((ROOT / ".venv-airflow").glob("lib/python3.*/site-packages"))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "WINDROW"))}
    given = {"AIRFLOW_HOME": str(project.parent / "home"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    path = os.pathsep.join(map(str, (site, packages)))
    return subprocess.run(
        [AIRFLOW_PYTHON, "-S", "-c", PARSE, project / "dags", *words],
        cwd=project.parent,
        env=inherited | given | {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"} | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


def facts(ended: subprocess.CompletedProcess) -> dict:
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(next(line for line in ended.stdout.splitlines() if line.startswith('{"errors"')))


def test_a_project_has_its_dags_and_airflow_the_connection_type_and_the_pages(site, project):
    found = facts(parsed(site, project))
    assert found["errors"] == []
    assert found["dags"] == [
        "bikes",
        "bikes_backfill",
        "bikes_in_order",
        "bikes_stale",
        "maintenance",
        "windrow_report",
    ]
    assert all(Path(file).is_relative_to(site) or Path(file).is_relative_to(project) for file in found["ours"])
    assert (found["provider"], found["hook"]) == (True, "Windrow")
    assert found["plugins"] == ["windrow_report", "windrow_run_day"]
    assert not (project / "var").exists(), "nothing reads or makes a lake"


@pytest.mark.nightly
def test_a_broken_definition_is_an_import_error_and_all_other_dags_stand(site, project):
    (project / "queries/bikes_half.py").write_text("QUERY = Query(")
    found = facts(parsed(site, project))
    assert "bikes" in found["dags"]
    [error] = found["errors"]
    assert "queries/bikes_half.py:1: " in error


def test_tasks_take_home_engine_and_locks_from_a_connection_as_the_page_shows(site, project, tmp_path):
    [text] = [block for block in blocks("docs/operations.md", "python") if "conn_id" in block]
    (project / "dags/windrow_dags.py").write_text(text)
    windrow = tmp_path / "opt" / "windrow"
    windrow.parent.mkdir()
    windrow.write_text(COMMAND)
    windrow.chmod(0o755)
    extra = {"home": "/srv/lake", "engine": "local", "command": str(windrow)}
    connection = {"conn_type": "windrow", "password": "postgresql://u:p@host/locks", "extra": extra}
    ended = parsed(site, project, "run", AIRFLOW_CONN_WINDROW_PRODUCTION=json.dumps(connection))
    assert ended.returncode == 0, ended.stderr[-3000:]
    said = (
        f"home /srv/lake, engine local, locks postgresql://u:p@host/locks, project {project}: --end-with-parent ingest"
    )
    assert f"{said} bikes --day 2018-10-01" in ended.stdout + ended.stderr
    connection["extra"] = {"hoem": "/srv/lake"}
    refused = parsed(site, project, "run", AIRFLOW_CONN_WINDROW_PRODUCTION=json.dumps(connection))
    assert "has 'hoem'; allowed: home," in refused.stderr and "Did you mean 'home'?" in refused.stderr
