"""A query for many days, one run each."""

from collections.abc import Callable
from datetime import date, timedelta

from pipelines.config import Config
from pipelines.ledger.runs import new_run_id
from pipelines.runs.replay_day import DayReport, replay_day
from schemas.errors import Superseded, WrongParameter


def backfill(
    config: Config,
    query_name: str,
    first: date,
    last: date,
    backwards: bool = False,
    progress: Callable[[DayReport], None] | None = None,
) -> list[DayReport]:
    """Run a query for each day from `first` to `last`, both included; `progress` gets the report of each that is done.

    Days don't depend on each other: the order changes no row. The first error ends it; days done before stay
    published. A day that another run publishes meanwhile is no error: its report's `note` has which.
    """
    if last < first:
        raise WrongParameter("to", last.isoformat(), f"a day from {first} on")
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    reports = []
    for day in reversed(days) if backwards else days:
        reports.append(_replay(config, query_name, day))
        if progress:
            progress(reports[-1])
    return reports


def _replay(config: Config, query_name: str, day: date) -> DayReport:
    run_id = new_run_id(query_name, day)
    try:
        return replay_day(config, query_name, day, run_id=run_id)
    except Superseded as superseded:
        return DayReport(run_id, query_name, day, {}, str(superseded), superseded=True)
