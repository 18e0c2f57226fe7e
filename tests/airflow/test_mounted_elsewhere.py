"""dags/ in the DAGs folder of an Airflow that is not ours: on no path, next to what it imports and nothing else."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from schemas.registry import streams
from tests.support.checkout import copied

pytestmark = pytest.mark.airflow
REPOSITORY = Path(__file__).resolve().parents[2]
AIRFLOW_PYTHON = REPOSITORY / ".venv-airflow" / "bin" / "python"
MOUNTED = (
    ".airflowignore",
    "dags",
    "schemas",
    "processes",
    "pipelines/__init__.py",
    "pipelines/flow.py",
    "pipelines/report",
)
FILES_OF_DAGS = {"broken_definitions.py", "maintenance.py", "streams.py"}
# A real DagBag over the other Airflow's folder; then one task of ours, as a worker has it.
PARSE = """
import json, sys
from airflow.dag_processing.dagbag import DagBag
bag = DagBag(sys.argv[1])
loaded = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
folders = ("dags", "schemas", "pipelines", "processes")
ours = {name: file for name, file in loaded.items() if name.split(".")[0] in folders}
files = sorted(bag.file_last_changed)
print(json.dumps({"errors": bag.import_errors, "dags": sorted(bag.dags), "ours": ours, "files": files}))
if len(sys.argv) > 2:
    task = bag.dags["bikes"].get_task("ingest")
    task.execute({"run_id": "manual__1", "params": {"day": None}, "ds": "2018-10-01"})
"""


@pytest.fixture
def folder(tmp_path):
    """The other Airflow's DAGs folder, with what was mounted into it."""
    copied(tmp_path / "their_dags" / "windrow", *MOUNTED)
    return tmp_path / "their_dags"


def parsed(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess:
    """By Airflow's Python without our editable install: -S leaves out the link to the checkout, the packages stay."""
    packages = next((REPOSITORY / ".venv-airflow").glob("lib/python3.*/site-packages"))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "WINDROW"))}
    given = {"AIRFLOW_HOME": str(folder.parent / "home"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    environment = inherited | given | {"PYTHONPATH": str(packages), "PYTHONSAFEPATH": "1"} | variables
    return subprocess.run(
        [AIRFLOW_PYTHON, "-S", "-c", PARSE, folder, *words],
        cwd=folder.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


def test_a_real_dag_bag_reads_every_stream_from_the_mounted_folder_alone(folder):
    ended = parsed(folder)
    assert ended.returncode == 0, ended.stderr[-3000:]
    facts = json.loads(ended.stdout.splitlines()[-1])
    assert facts["errors"] == {}
    assert set(streams()) | {"maintenance", "bikes_backfill"} <= set(facts["dags"])
    assert {Path(file).name for file in facts["files"]} == FILES_OF_DAGS
    assert facts["ours"] and all(Path(file).is_relative_to(folder) for file in facts["ours"].values() if file)


@pytest.mark.nightly
@pytest.mark.parametrize("file", sorted(FILES_OF_DAGS))
def test_each_file_is_read_alone_since_airflow_gives_each_a_process_of_its_own(folder, file):
    whole = folder / "windrow" / "dags"
    for other in whole.glob("*.py"):
        if other.name in FILES_OF_DAGS - {file}:
            other.unlink()
    ended = parsed(folder)
    assert ended.returncode == 0, ended.stderr[-3000:]
    facts = json.loads(ended.stdout.splitlines()[-1])
    assert facts["errors"] == {} and bool(facts["dags"]) == (file != "broken_definitions.py")


@pytest.mark.nightly
def test_its_tasks_run_the_windrow_over_the_home_that_the_environment_names(folder, tmp_path):
    windrow = tmp_path / "opt" / "windrow"
    windrow.parent.mkdir()
    windrow.write_text('#!/bin/sh\necho "home $WINDROW_HOME, called with $*"\n')
    windrow.chmod(0o755)
    ended = parsed(folder, "run", WINDROW_COMMAND=str(windrow), WINDROW_HOME="/srv/windrow")
    assert ended.returncode == 0, ended.stderr[-3000:]
    printed = ended.stdout + ended.stderr
    assert "home /srv/windrow, called with --end-with-parent ingest bikes --day 2018-10-01" in printed


@pytest.mark.nightly
def test_without_that_its_tasks_say_what_to_set(folder):
    ended = parsed(folder, "run")
    assert ended.returncode != 0
    assert "WINDROW_COMMAND" in ended.stderr
    assert str(folder / "windrow" / ".venv" / "bin" / "windrow") in ended.stderr
