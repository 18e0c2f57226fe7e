"""What the tasks and the DAGs have in common."""

from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import DAG, AssetAlias, CronDataIntervalTimetable, Param

from dags.command import WindrowOperator, asset
from dags.installation import execution_timeout, pool
from dags.report import ReportOperator
from pipelines import flow
from pipelines.report import dag_text
from schemas.stream import Stream

# Before any data: Airflow runs no task for a date before it, and says `success`.
START = datetime(1900, 1, 1, tzinfo=UTC)


def defaults() -> dict[str, Any]:
    """The arguments of every task; WrongParameter, shown as an import error, for a setting that is none."""
    delay, timeout = timedelta(seconds=30), execution_timeout()
    return {"retries": 2, "retry_delay": delay, "execution_timeout": timeout, "pool": pool()}


def each_day() -> dict[str, Any]:
    """What DAGs have that run for a logical date."""
    return {
        "schedule": CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
        "start_date": START,  # no end_date for the same reason; the first task refuses days not of the stream
        "catchup": False,
        "params": {"day": Param(None, type=["null", "string"], format="date", description="beats the logical date")},
        "default_args": defaults(),
    }


def ingest_operator(stream: Stream) -> WindrowOperator:
    """Their first task. A second ingest of the stream would only wait for its lock. A pool would need a hand to make
    it."""
    return operator(flow.ingest_task(stream), max_active_tis_per_dag=1)


def add_report(dag: DAG) -> None:
    """Its last task: makes the pages again, also where others failed. A teardown, since a run's state is that of its
    last tasks, and would be a success whatever these did; of a teardown it takes no notice."""
    dag.leaves >> operator(flow.report_task(), ReportOperator, max_active_tis_per_dag=1).as_teardown()


def operator(task: flow.Task, kind: type[WindrowOperator] = WindrowOperator, **limits: Any) -> WindrowOperator:
    """The task of the map as an operator. A success is an event of each table that it publishes; of one that it may
    update there is an event, by an alias, where something was new."""
    return kind(
        task_id=task.name,
        arguments=task.arguments,
        of_a_day=task.of_a_day,
        doc_md=dag_text.task_page(task),
        outlets=[*map(asset, task.publishes), *map(AssetAlias, task.may_update)],
        **limits,
    )
