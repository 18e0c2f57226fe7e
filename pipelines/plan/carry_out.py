"""A plan carried out: its commands in their order, in one process."""

from collections.abc import Callable

from pipelines.config import Config
from pipelines.plan.plan import INGEST, REBUILD, DayPlan, Step
from pipelines.runs.backfill import redo_stale
from pipelines.runs.ingest_day import ingest_day
from pipelines.runs.rebuild import rebuild
from pipelines.runs.replay_day import DayReport
from schemas.errors import WindrowError

Show = Callable[[str, int, int | None], None]
"""What is done, how much of it, and of how much."""


def carry_out(config: Config, planned: DayPlan, show: Show) -> list[DayReport]:
    """Do what the plan says, and no more. A query that a rule refuses keeps no other from being made again: the first
    such error is raised in the end; any other error ends it at once, and so does one of an ingest."""
    reports: list[DayReport] = []
    refused: list[WindrowError] = []
    for step in planned.steps:
        try:
            reports += _done(config, step, show)
        except WindrowError as error:
            if step.does == INGEST or not error.refused:
                raise
            refused.append(error)
    if refused:
        raise refused[0]
    return reports


def _done(config: Config, step: Step, show: Show) -> list[DayReport]:
    if step.does == INGEST:
        ingest_day(config, step.of, None, None, lambda stage: show(stage, 0, None))
        return []
    done: list[DayReport] = []

    def count(report: DayReport, days: int) -> None:
        done.append(report)
        show(f"days of {step.of}", len(done), days)

    if step.does == REBUILD:
        return rebuild(config, step.of, count).days
    return redo_stale(config, step.of, count)
