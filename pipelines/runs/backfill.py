"""A query for many days, one run each."""

from collections.abc import Callable
from datetime import date, timedelta

from pipelines.config import Config
from pipelines.runs.replay_day import DayReport, replay_day
from schemas.errors import WrongParameter


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
    published.
    """
    if last < first:
        raise WrongParameter("to", last, f"a day from {first} on")
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    reports = []
    for day in reversed(days) if backwards else days:
        reports.append(replay_day(config, query_name, day))
        if progress:
            progress(reports[-1])
    return reports
