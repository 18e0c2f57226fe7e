"""The newest rows of the table `runs`, which grows for ever. First a few columns of all rows say which runs have them;
then only these runs are read: of 100,000 runs all rows took 12 seconds and 1.9 GB, and their newest take one.
"""

from collections.abc import Iterable, Sequence

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table, running
from windrow.pipelines.ledger.run_table import StepRow
from windrow.schemas.ledger_tables import RUNS

_READ_FIRST = ["run_id", "step", "stage", "stream", "query", "logical_date", "state", "at"]
_DONE = "max(\"at\") FILTER (state = 'done') OVER (PARTITION BY stream, query, logical_date, step)"
_FROM_DONE = f"\"at\" >= coalesce({_DONE}, '-infinity')"
_LAST_TRIES = '"at" = max("at") OVER (PARTITION BY run_id, step, query, logical_date)'


def newest(lake: Lake, *filters: tuple) -> list[StepRow]:
    """Of each step of a query's day the newest row that ended well, and those behind it; maybe others of their runs."""
    return run_table.rows(lake, [*filters, _having(lake, filters, _FROM_DONE, "ALL")])


def last(lake: Lake, count: int, stages: bool = False) -> list[StepRow]:
    """The rows of the runs whose steps are the last to have ended: at least of so many steps."""
    return run_table.rows(lake, [_having(lake, (), _LAST_TRIES, str(count))], stages)


def of_runs(names: Iterable[str]) -> tuple:
    """A filter. Arrow takes no empty list."""
    return "run_id", "in", sorted(names) or [""]


def _having(lake: Lake, filters: Sequence[tuple], which: str, count: str) -> tuple:
    """A filter: the runs that have such rows, and those that have not ended. which, count: SQL."""
    names = {row["run_id"] for file in running.found(lake.config) for row in file.rows}
    if lake.version(RUNS.name) is not None:
        found = lake.read(RUNS.name, filters=[*filters] or None, columns=_READ_FIRST)
        with storage.open_database(lake.config.scratch, lake.config.lake) as database:
            database.register("steps", found)
            asked = f'FROM steps WHERE stage IS NULL QUALIFY {which} ORDER BY "at" DESC LIMIT {count}'
            names.update(run_id for (run_id,) in database.sql(f"SELECT run_id {asked}").fetchall())
    return of_runs(names)
