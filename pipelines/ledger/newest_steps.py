"""The newest rows of the table `runs`, which grows for ever. First a few columns of all rows say which runs have them;
then only these runs are read: of 100,000 runs all rows took 12 seconds and 1.9 GB, and their newest take one.
"""

from collections.abc import Iterable

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table, running
from windrow.pipelines.ledger.run_table import StepRow

_OF_STEPS = "SELECT run_id FROM runs WHERE stage IS NULL "
_DONE = "max(\"at\") FILTER (state = 'done') OVER (PARTITION BY stream, query, logical_date, step)"
_FROM_DONE = f"\"at\" >= coalesce({_DONE}, '-infinity')"
_LAST_TRIES = '"at" = max("at") OVER (PARTITION BY run_id, step, query, logical_date)'


def newest(lake: Lake, step: str | None = None) -> list[StepRow]:
    """Of each step, or of that one, of a query's day the newest row that ended well, and those behind it; maybe others
    of their runs."""
    asked = [] if step is None else [("step", "=", step)]
    of_step = "" if step is None else f" AND step = '{step}'"
    return run_table.rows(lake, [*asked, _having(lake, f"{of_step} QUALIFY {_FROM_DONE}")])


def last(lake: Lake, count: int, stages: bool = False) -> list[StepRow]:
    """The rows of the runs whose steps are the last to have ended: at least of so many steps."""
    return run_table.rows(lake, [_having(lake, f'QUALIFY {_LAST_TRIES} ORDER BY "at" DESC LIMIT {count}')], stages)


def of_runs(names: Iterable[str]) -> tuple:
    """A filter."""
    return "run_id", "in", sorted(names)


def _having(lake: Lake, which: str) -> tuple:
    """A filter: the runs that have such rows of whole steps, and those that have not ended."""
    names = {row["run_id"] for file in running.found(lake.config) for row in file.rows}
    return of_runs(names.union(row["run_id"] for row in run_table.select(lake, _OF_STEPS + which)))
