"""A plan carried out by the Airflow of this home: a run of `<stream>_backfill` for each stream that has stale days."""

from typing import TYPE_CHECKING

from pipelines.cli import _output
from pipelines.flow import BACKFILL
from schemas.errors import NotSetUp

if TYPE_CHECKING:
    from pipelines.config import Config
    from pipelines.upkeep.day_plan import DayPlan
    from stack.airflow import Running


def trigger(config: "Config", made: "DayPlan") -> None:
    """Start the runs, and print where they are. NotSetUp where no Airflow of this home runs."""
    from schemas import registry

    streams = sorted({registry.query(run.query).stream for run in made.runs if run.query not in made.lost})
    if not streams:
        return
    airflow = _running(config)
    for stream in streams:
        _trigger(airflow, stream + BACKFILL)
    for step in made.steps:
        if step.does == "ingest":
            _output.note(f"these runs ingest nothing: what files of {step.of} will make stale follows {step.command}")


def _running(config: "Config") -> "Running":
    try:
        from stack import airflow
    except ModuleNotFoundError as missing:  # the wheel leaves stack/ out
        raise NotSetUp("a checkout, whose `make up` starts Airflow", "windrow plan --run") from missing
    found = airflow.running(config.here)
    if found is None:
        raise NotSetUp(f"no Airflow of {config.home} runs", "make up, or without it: windrow plan --run")
    return found


def _trigger(airflow: "Running", dag: str) -> None:
    from pipelines.ledger.run_table import new_run_id

    client = airflow.client()
    run = client.trigger(dag, None, new_run_id("plan", None), stale=True)
    _output.note(f"{dag}: run {run} makes the stale days again: {airflow.address}/dags/{dag}/runs/{run}")
    if client.call("GET", f"/dags/{dag}")["is_paused"]:
        _output.note(f"{dag} is paused: the run waits until you unpause it at {airflow.address}/dags/{dag}")
