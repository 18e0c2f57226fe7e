"""A plan carried out: its steps in their order, in one process; stale days of all queries in one pass."""

from pipelines.config import Config
from pipelines.runs.backfill import Progress, redo_stale
from pipelines.runs.ingest_day import ingest_day
from pipelines.runs.reports import DayFailure, Done
from pipelines.upkeep.day_plan import INGEST, REBUILD, DayPlan, Step
from pipelines.upkeep.rebuild import rebuild
from schemas.errors import WindrowError


def carry_out(config: Config, planned: DayPlan, progress: Progress) -> Done:
    """Do what the plan says, and no more. A query that a rule refuses keeps no other from being made again; any other
    error ends it at once, and so does one of an ingest."""
    done = Done([], [])
    for step in planned.steps:
        if step.does == INGEST:
            ingest_day(config, step.of, None, None, progress)
        elif step.does == REBUILD:
            done = _with(done, _rebuilt(config, step, progress))
    again = [step.of for step in planned.steps if step.does not in (INGEST, REBUILD)]
    return _with(done, redo_stale(config, again, progress)) if again else done


def _rebuilt(config: Config, step: Step, progress: Progress) -> Done:
    try:
        return rebuild(config, step.of, progress).days
    except WindrowError as error:
        if not error.refused or step.first is None:
            raise
        return Done([], [DayFailure(step.of, step.first, error)])


def _with(done: Done, more: Done) -> Done:
    return Done([*done.reports, *more.reports], [*done.failures, *more.failures])
