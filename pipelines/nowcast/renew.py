"""The nowcasts beside a query's published rows. They follow from the query's table alone: days that are published give
new ones to themselves and to the later days in whose history they are."""

from collections.abc import Sequence
from datetime import date

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.nowcast.nowcasts import nowcasts
from windrow.pipelines.tables.query_tables import QueryTables


def renew(lake: Lake, tables: QueryTables, days: Sequence[date]) -> None:
    """Make the nowcasts that the rows of some days can change, in one commit. O(days · rows of the history)."""
    query, table = tables.query, tables.nowcast
    if table is None or query.nowcast is None or not days:
        return
    with lake.locked(f"{query.name}.publish"):  # of two publications the later one sees the rows of both
        lake.ensure(table)
        held = lake.partition_dates(tables.results.name)
        later = {day for day in held if any(each < day <= each + query.nowcast for each in days)}
        renewed = sorted({*days} | later)
        span = [("emitted_date", ">=", renewed[0] - query.nowcast), ("emitted_date", "<=", renewed[-1])]
        read = [*query.window_identity, "revision", "pane", "emitted_at", *query.additive]
        rows = lake.read(tables.results.name, filters=span, columns=read)
        lake.replace(table, {"emitted_date": renewed}, nowcasts(query, rows, renewed))
