"""The DAG that keeps every table in shape."""

from airflow.sdk import DAG, CronTriggerTimetable

from windrow.airflow.command import asset
from windrow.airflow.tasks import Shared, add_after_failure, operator
from windrow.pipelines import flow
from windrow.pipelines.report import dag_text


def dag(shared: Shared) -> DAG:
    """The lake's; shared: what all DAGs have (tasks.py)."""
    text = dag_text.page("Maintenance", dag_text.text("maintenance"))
    schedule, tags = CronTriggerTimetable("30 3 * * *", timezone="UTC"), ["windrow", "maintenance"]
    described = {
        "description": "Keeps the tables small: compacts files, removes old versions, shortens logs",
        "doc_md": text,
        "tags": tags,
    }
    with DAG("maintenance", schedule=schedule, max_active_runs=1, **described, **shared) as made:
        add_after_failure(operator(flow.maintenance_task(), outlets=[asset(flow.RUNS)]))
    return made
