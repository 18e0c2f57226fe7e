"""What the tasks and the DAGs have in common."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from airflow.sdk import DAG, AssetAlias, CronDataIntervalTimetable, Param

from windrow.airflow.command import WindrowOperator, asset
from windrow.airflow.installation import alerts_of_runs, alerts_of_tasks, execution_timeout, pool
from windrow.airflow.operators import ReportOperator
from windrow.pipelines import flow
from windrow.pipelines.report import dag_text
from windrow.schemas.query import Query
from windrow.schemas.stream import Stream

# Before any data: Airflow runs no task for a date before it, and says `success`.
START = datetime(1900, 1, 1, tzinfo=UTC)


Shared: TypeAlias = dict[str, Any]


def common(conn_id: str | None = None) -> Shared:
    """What every DAG has; WrongParameter, shown as an import error, for a setting that is none."""
    delay, timeout = timedelta(seconds=30), execution_timeout()
    limits = {"retries": 2, "retry_delay": delay, "execution_timeout": timeout, "pool": pool(), "conn_id": conn_id}
    return {
        "start_date": START,  # no end_date for the same reason; the first task refuses days not of the stream
        "catchup": False,
        "default_args": limits | alerts_of_tasks(),
        **alerts_of_runs(),
    }


def each_day() -> dict[str, Any]:
    """What DAGs have that run for a logical date."""
    return {
        "schedule": CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
        "params": {"day": Param(None, type=["null", "string"], format="date", description="beats the logical date")},
    }


def ingest_operator(stream: Stream) -> WindrowOperator:
    """Their first task. A second ingest of the stream would only wait for its lock. A pool would need a hand to make
    it."""
    task = flow.ingest_task(stream)
    # Of an asset that no task reads Airflow forgets that it is one, some time after its events.
    return operator(task, max_active_tis_per_dag=1, inlets=[*map(asset, task.may_update)])


def add_report(dag: DAG, queries: Sequence[Query] = ()) -> None:
    """Its last task: makes the pages again, also where others failed. A teardown, since a run's state is that of its
    last tasks, and would be a success whatever these did; of a teardown it takes no notice.

    The tables of the queries are its inlets: by that Airflow knows of these assets before their first event. Outlets
    they are for what was published by a task that failed (windrow/airflow/operators.py).
    """
    before = dag.leaves
    tables = [table for query in queries for table in flow.published_tables(query)]
    report = operator(flow.report_task(), ReportOperator, max_active_tis_per_dag=1, inlets=[*map(asset, tables)])
    report.outlets = [asset(flow.REPORT), *map(AssetAlias, tables)]
    before >> report.as_teardown()


def operator(task: flow.Task, kind: type[WindrowOperator] = WindrowOperator, **more: Any) -> WindrowOperator:
    """The task of the map as an operator. Of each table of which something is new there is an event, by an alias: of an
    asset itself there is one whenever its task succeeds."""
    return kind(
        task_id=task.name,
        arguments=task.arguments,
        of_a_day=task.of_a_day,
        publishes=bool(task.publishes),
        doc_md=dag_text.task_page(task),
        outlets=[*map(AssetAlias, (*task.publishes, *task.may_update))],
        **more,
    )
