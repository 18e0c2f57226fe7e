"""How many rows a table holds, from its log: no data is read."""

from collections import Counter
from datetime import date

import pyarrow as pa
from deltalake import DeltaTable

from pipelines.lake.lake import Lake


def rows_by_day(lake: Lake, name: str) -> dict[date | None, int]:
    """Rows by the table's date partition, or all under None where it has none. O(files of the table)."""
    opened = DeltaTable(lake.folder(name))
    day = next((column for column in opened.metadata().partition_columns if column.endswith("_date")), None)
    actions = pa.table(opened.get_add_actions(flatten=True))
    if not len(actions):
        return {}
    days = [None] * len(actions) if day is None else actions[f"partition.{day}"].cast(pa.date32()).to_pylist()
    counts: Counter[date | None] = Counter()
    for of_day, rows in zip(days, actions["num_records"].to_pylist(), strict=True):
        counts[of_day] += rows
    return dict(counts)
