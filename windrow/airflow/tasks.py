"""What the tasks and the DAGs have in common."""

from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from airflow.sdk import AssetAlias, CronDataIntervalTimetable, Param
from airflow.sdk.exceptions import AirflowTimetableInvalid
from croniter import CroniterError, croniter

from windrow.airflow import installation
from windrow.airflow.command import WindrowOperator, asset
from windrow.airflow.operators import AfterFailureOperator
from windrow.pipelines import flow
from windrow.pipelines.report import dag_text
from windrow.schemas.dag_settings import NO_SCHEDULE, DagSettings
from windrow.schemas.errors import WrongParameter
from windrow.schemas.stream import Stream

# Before any data: Airflow runs no task for a date before it, and says `success`.
START = datetime(1900, 1, 1, tzinfo=UTC)
OF_ALL = DagSettings()

Shared: TypeAlias = dict[str, Any]


def common(conn_id: str | None = None, said: DagSettings = OF_ALL) -> Shared:
    """What DAGs have. WrongParameter, shown as an import error, for a setting that is none."""
    return {
        "start_date": START,  # no end_date for the same reason; the first task refuses days not of the stream
        "catchup": False,
        "default_args": {"retry_delay": timedelta(seconds=30), "conn_id": conn_id, **installation.of_tasks(said)},
        **installation.of_runs(said),
    }


def each_day(said: DagSettings) -> dict[str, Any]:
    """What DAGs have that run for a logical date. WrongParameter for a schedule that Airflow can't read."""
    return {
        "schedule": _schedule(said["schedule"] or "0 0 * * *"),
        "params": {"day": Param(None, type=["null", "string"], format="date", description="beats the logical date")},
    }


def _schedule(said: str) -> CronDataIntervalTimetable | None:
    if said == NO_SCHEDULE:
        return None
    found = CronDataIntervalTimetable(said, timezone="UTC")
    try:
        found.validate()
        croniter(said).get_next()
    except (AirflowTimetableInvalid, CroniterError) as error:  # the second of 30 February
        raise WrongParameter("schedule", said, f"a cron of five fields, in UTC, or {NO_SCHEDULE!r} ({error})") from None
    return found


def ingest_operator(stream: Stream) -> WindrowOperator:
    """Their first task. A second ingest of the stream would only wait for its lock. A pool would need a hand to make
    it."""
    task = flow.ingest_task(stream)
    # Of an asset that no task reads Airflow forgets that it is one, some time after its events.
    return operator(task, max_active_tis_per_dag=1, inlets=[*map(asset, task.may_update)])


def add_after_failure(task: WindrowOperator) -> None:
    """A task behind it that runs where it failed, or one before it; else Airflow skips it without a process. A
    teardown, of which a run's state takes no notice: the run would be a success whatever became of the others.

    It makes the events of what the task published before it failed (windrow/airflow/operators.py), and that of RUNS,
    which the report follows.
    """
    outlets = [asset(flow.RUNS), *(each for each in task.outlets if isinstance(each, AssetAlias))]
    text = f"Runs only where `{task.task_id}`, or a task before it, failed: it makes the events of what was published."
    after = AfterFailureOperator(
        task_id=f"{task.task_id}_failed", outlets=outlets, trigger_rule="one_failed", doc_md=text
    )
    after.is_teardown = True
    task >> after


def operator(task: flow.Task, kind: type[WindrowOperator] = WindrowOperator, **more: Any) -> WindrowOperator:
    """The task of the map as an operator. Of each table of which something is new there is an event, by an alias: of an
    asset itself there is one whenever its task succeeds."""
    aliases = [*map(AssetAlias, (*task.publishes, *task.may_update))]
    return kind(
        task_id=task.name,
        arguments=task.arguments,
        of_a_day=task.of_a_day,
        publishes=bool(task.publishes),
        doc_md=dag_text.task_page(task),
        **{"outlets": aliases, **more},
    )
