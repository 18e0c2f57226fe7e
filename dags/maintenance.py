"""The DAG that keeps every table in shape."""

import sys
from pathlib import Path

from airflow.sdk import DAG, CronTriggerTimetable

# An Airflow into which this folder was mounted knows nothing of the folders next to it.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from dags.tasks import START, add_report, defaults, operator
from pipelines import flow
from pipelines.report import dag_text

with DAG(
    "maintenance",
    description="Keeps the tables small: compaction, vacuum, short logs",
    doc_md=dag_text.maintenance_page(),
    schedule=CronTriggerTimetable("30 3 * * *", timezone="UTC"),
    start_date=START,
    catchup=False,
    max_active_runs=1,
    default_args=defaults(),
    tags=["windrow", "maintenance"],
) as dag:
    operator(flow.maintenance_task())
    add_report(dag)
