"""The DAG that keeps every table in shape."""

import sys
from pathlib import Path

from airflow.sdk import DAG, CronTriggerTimetable

# An Airflow into which this folder was mounted knows nothing of the folders next to it.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from dags.tasks import add_report, common, operator
from pipelines import flow
from pipelines.report import dag_text

with DAG(
    "maintenance",
    description="Keeps the tables small: compaction, vacuum, short logs",
    doc_md=dag_text.page("Maintenance", dag_text.text("maintenance")),
    schedule=CronTriggerTimetable("30 3 * * *", timezone="UTC"),
    max_active_runs=1,
    tags=["windrow", "maintenance"],
    **common(),
) as dag:
    operator(flow.maintenance_task())
    add_report(dag)
