"""The final rows of `bikes_demand` by DuckDB, one statement, written by delta-rs: a process of its own.

    WINDROW_HOME=... python -m benchmarks.backfill_by_duckdb

Each event is copied into its windows, and these are grouped: on 120,000 trips that took 3.4 processor seconds; 4.6 with
a join to a range, and 5.5 with panes of a slide first. DuckDB's settings are its own, but rows are in no order. It
imports no more than it needs: its start counts.
"""

import os
from datetime import timedelta
from pathlib import Path

import duckdb
from deltalake import DeltaTable, write_deltalake

from windrow.schemas.queries.bikes_demand import QUERY

TABLE = "demand_by_duckdb"
SLIDE_US, SIZE_US = (span // timedelta(microseconds=1) for span in (QUERY.window.slide, QUERY.window.size))
ROWS_AT_ONCE = 100_000
STATEMENT = f"""
SELECT start_station_id,
       make_timestamp(end_us - {SIZE_US})::TIMESTAMPTZ AS window_start,
       make_timestamp(end_us)::TIMESTAMPTZ AS window_end,
       count(*) AS trips,
       avg(trip_duration_s) AS mean_trip_duration_s,
       max(trip_duration_s) AS longest_trip_duration_s
FROM (SELECT start_station_id, trip_duration_s, epoch_us(start) // {SLIDE_US} * {SLIDE_US} AS slide_us,
             unnest(range(slide_us + {SLIDE_US}, slide_us + {SIZE_US} + 1, {SLIDE_US})) AS end_us
      FROM read_parquet($files))
GROUP BY start_station_id, end_us
""".strip()


def main(lake: Path) -> None:
    """Read silver and write the table, in the lake's folder."""
    files = DeltaTable(lake / f"silver_{QUERY.stream}").file_uris()
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'; SET preserve_insertion_order = false")
        rows = database.sql(STATEMENT, params={"files": files}).to_arrow_reader(ROWS_AT_ONCE)
        write_deltalake(lake / TABLE, rows)


if __name__ == "__main__":
    main(Path(os.environ["WINDROW_HOME"], "lake"))
