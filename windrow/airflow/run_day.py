"""A run's day as its note, where lists of runs show it: Airflow names a run by the end of its interval, a day later.

A listener in the scheduler, since a task can't write it: Airflow's interface for tasks has no request for notes, and
the one for users wants a login.
"""

import sys
from typing import TYPE_CHECKING

from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

if TYPE_CHECKING:
    from airflow.models.dagrun import DagRun


@hookimpl
def on_dag_run_running(dag_run: "DagRun", msg: str) -> None:
    """Note the day of a run that begins, and that has no note yet: a user may have written one."""
    if dag_run.note is None and (day := day_of(dag_run)):
        dag_run.note = f"day {day}"


def day_of(dag_run: "DagRun") -> str | None:
    """As its tasks take it (command.py); None for a run of a DAG without the param: it is for no day."""
    if dag_run.dag is None or "day" not in dag_run.dag.params:
        return None
    logical_date = dag_run.logical_date
    return (dag_run.conf or {}).get("day") or (logical_date and f"{logical_date:%Y-%m-%d}")


class RunDayPlugin(AirflowPlugin):
    """By which Airflow finds the listener."""

    name = "windrow_run_day"
    listeners = [sys.modules[__name__]]
