"""A run of a DAG with Airflow's own provider of OpenLineage: its event of a task has what the task's command wrote."""

import json
import os
import subprocess

import pytest

from tests.support.airflow.operators import program
from tests.support.openlineage.schema import require_event
from tests.support.rules import ROOT
from windrow.pipelines.ledger.openlineage import FILE, ColumnLineage, StepLineage, TableLineage

pytestmark = [pytest.mark.airflow, pytest.mark.takes(25)]
AIRFLOW = ROOT / ".venv-airflow" / "bin"
RUN = """
import datetime, sys
from airflow.dag_processing.dagbag import DagBag
DagBag(sys.argv[1]).dags["bikes"].test(logical_date=datetime.datetime(2018, 10, 1, tzinfo=datetime.UTC))
"""
BRONZE, SILVER = ("file", "/lake/bronze_bikes"), ("file", "/lake/silver_bikes")
COLUMN = ColumnLineage("arrival", "timestamp", "when it was known", ((*BRONZE, "text"),))
TIMES = "2018-10-01T00:00:00+00:00", "2018-10-01T00:00:01+00:00"
WRITTEN = TableLineage(SILVER, "events", version=3, rows=12, columns=(COLUMN,))
STEP = StepLineage("/home", "a run", "ingest", "bikes", "2018-10-01", "done", None, *TIMES, {}, (), (WRITTEN,))


def test_the_event_of_a_task_has_what_its_command_wrote(tmp_path):
    """The ingest; the tasks behind it, whose command publishes nothing, are skipped."""
    command = program(tmp_path, f"import os\nopen(os.environ[{FILE!r}], 'a').write({STEP.as_json!r})")
    transport = {"type": "file", "log_file_path": str(tmp_path / "events"), "append": True}
    asked = {
        "AIRFLOW_HOME": str(tmp_path / "airflow"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport), "WINDROW_COMMAND": str(command),
        "WINDROW_HOME": str(tmp_path / "home"),
    }  # fmt: skip
    for words in ((AIRFLOW / "airflow", "db", "migrate"), (AIRFLOW / "python", "-c", RUN, ROOT / "dags")):
        ended = subprocess.run(words, env=os.environ | asked, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    events = [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]
    [event] = [each for each in events if (each["job"]["name"], each["eventType"]) == ("bikes.ingest", "COMPLETE")]
    require_event(event, only="windrow")
    [silver] = event["outputs"]
    assert (silver["namespace"], silver["name"]) == SILVER and not event["inputs"]
    assert silver["outputFacets"]["outputStatistics"]["rowCount"] == 12
    assert silver["facets"]["columnLineage"]["fields"]["arrival"]["inputFields"][0]["field"] == "text"
