"""A day of more events than the database holds in order."""

from datetime import date

import duckdb
import numpy as np
import pyarrow as pa

from tests.support.trips import TABLES
from windrow.pipelines.gate.checks import pass_ticks
from windrow.pipelines.gate.recount.silver import SilverDays
from windrow.pipelines.rows.arrays import times
from windrow.pipelines.tables.arrival_days import day_start_us

DAY, EVENTS, MEMORY = date(2018, 6, 7), 6_000_000, "30MB"


def test_a_day_larger_than_memory_is_counted_second_by_second(tmp_path):
    """With all events in one order DuckDB ended at that size without memory."""
    chance = np.random.default_rng(1)
    arrival_us = np.sort(day_start_us(DAY) + chance.integers(0, 86_400_000_000, EVENTS))
    start_us = arrival_us - 1_000_000 * chance.integers(0, 600, EVENTS)
    steps = np.flatnonzero(np.diff(np.maximum.accumulate(start_us), prepend=start_us[0] - 1))
    with duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": str(tmp_path)}) as connection:
        for name, columns, of in (
            ("silver", ("arrival", "start"), (arrival_us, start_us)),
            ("passes", ("tick", "newest_start"), (arrival_us[steps], start_us[steps])),
        ):
            connection.register(f"all_{name}", pa.table(dict(zip(columns, map(times, of), strict=True))))
            connection.execute(f"CREATE VIEW {name} AS SELECT DATE '{DAY}' AS arrival_date, * FROM all_{name}")
        verdict = pass_ticks.run(SilverDays(connection, TABLES, 0, [DAY]))[DAY]
        assert verdict.passed and verdict.figure == f"0 of {len(steps)} pass ticks differ"
