from typing import Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._options import AsJson

EXAMPLES = (
    'windrow query "SELECT * FROM bikes_demand_final ORDER BY trips DESC LIMIT 5"',
    "windrow query \"SELECT * FROM bikes_demand_as_of('2018-10-01 14:00:00Z')\"",
)


def query(
    statement: Annotated[str, typer.Argument(metavar="SQL", help="One statement that reads, in DuckDB's dialect.")],
    rows: Annotated[int, typer.Option(min=0, help="How many rows to show; 0 shows all. --json gives all.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Ask the lake in SQL: every table, <query>_final and <query>_as_of(t). Needs no JVM; changes nothing."""
    from pipelines import config
    from pipelines.delta.lake import Lake
    from pipelines.rows.arrays import plain_rows
    from pipelines.sql import statements

    limit = None if as_json or rows == 0 else rows
    # One more than is shown: whether there are more.
    found = statements.run(Lake(config.load()), statement, None if limit is None else limit + 1)
    _output.show(plain_rows(found.slice(0, limit)), as_json, found.column_names)
    if limit is not None and len(found) > limit:
        _output.note(f"only the first {limit:,} rows are shown; --rows 0 shows all")
