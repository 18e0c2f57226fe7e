"""Windows by DuckDB: a process of its own.

python -m benchmarks.peers_by_duckdb WAY parquet|csv FOLDER
python -m benchmarks.peers_by_duckdb landing LANDING TABLE      of its files, a Delta table of last rows
"""

import sys
from pathlib import Path

import duckdb
from deltalake import write_deltalake

from benchmarks.peers_source import (
    COLUMNS,
    DAILY,
    DAY_US,
    KEY,
    MONTHLY,
    ROLLING,
    SECONDS,
    SLIDE_US,
    SLIDING,
    START,
    ZONE,
)  # fmt: skip

LISTED = ", ".join(COLUMNS)
COUNTED = "count(*) AS trips, sum(s)::BIGINT AS total_s, max(s) AS longest_s"
# Each trip is copied into its windows, and these are grouped.
COPIES = f"""
SELECT key AS {KEY}, make_timestamptz(end_us) AS window_end, {COUNTED}
FROM (SELECT key, s, unnest(range(us // {SLIDE_US} * {SLIDE_US} + {SLIDE_US},
                                  us // {SLIDE_US} * {SLIDE_US} + {DAY_US} + 1, {SLIDE_US})) AS end_us FROM trips)
GROUP BY key, end_us
"""
# Panes of a slide, also those without trips, and a frame of a day's panes.
PANES = f"""
WITH panes AS (SELECT key, us // {SLIDE_US} AS pane, count(*) AS n, sum(s) AS total, max(s) AS most
               FROM trips GROUP BY ALL),
     every AS (SELECT key, unnest(range(min(pane), max(pane) + {DAY_US // SLIDE_US})) AS pane FROM panes GROUP BY key),
     framed AS (SELECT key, pane, sum(n) OVER day AS trips, sum(total) OVER day AS total_s,
                       max(most) OVER day AS longest_s
                FROM every LEFT JOIN panes USING (key, pane)
                WINDOW day AS (PARTITION BY key ORDER BY pane ROWS {DAY_US // SLIDE_US - 1} PRECEDING))
SELECT key AS {KEY}, make_timestamptz((pane + 1) * {SLIDE_US}) AS window_end, trips::BIGINT AS trips,
       total_s::BIGINT AS total_s, longest_s FROM framed WHERE trips > 0
"""
FRAMES = f"""
SELECT DISTINCT key AS {KEY}, make_timestamptz(us + 1) AS window_end, count(*) OVER day AS trips,
       (sum(s) OVER day)::BIGINT AS total_s, max(s) OVER day AS longest_s
FROM trips WINDOW day AS (PARTITION BY key ORDER BY us RANGE BETWEEN {DAY_US - 1} PRECEDING AND CURRENT ROW)
"""
# Damaged lines are skipped without a word, and so is a line that is there twice.
READ = "header = true, all_varchar = true, ignore_errors = true"
LANDED = f"""
CREATE VIEW trips AS SELECT key, epoch_us(timezone('{ZONE}', began)) AS us, s FROM (
    SELECT try_cast("start station id" AS BIGINT) AS key, try_cast(starttime AS TIMESTAMP) AS began,
           try_cast(tripduration AS BIGINT) AS s
    FROM (SELECT DISTINCT * FROM read_csv('$landing/{MONTHLY}', {READ})) WHERE try_cast(stoptime AS TIMESTAMP) NOTNULL
    UNION ALL
    SELECT try_cast(start_station AS BIGINT), try_cast(start_ts AS TIMESTAMP), try_cast(duration AS BIGINT)
    FROM (SELECT DISTINCT * FROM read_csv('$landing/{DAILY}', {READ}))
) WHERE began NOTNULL AND s NOTNULL
"""
LAST_ROWS = f"""
SELECT {KEY}, window_end - INTERVAL 1 DAY AS window_start, window_end, trips,
       total_s / trips AS mean_trip_duration_s, longest_s AS longest_trip_duration_s
FROM ({COPIES})
"""
ROWS_AT_ONCE = 100_000
WAYS = {f"{SLIDING}_copies": COPIES, f"{SLIDING}_panes": PANES, f"{ROLLING}_frames": FRAMES}


def landing(folder: str, table: str) -> None:
    """Of the landing folder's files, a Delta table."""
    with duckdb.connect() as database:
        database.execute("SET threads = 2; SET TimeZone = 'UTC'; SET preserve_insertion_order = false")
        database.execute(LANDED.replace("$landing", folder))
        write_deltalake(table, database.sql(LAST_ROWS).to_arrow_reader(ROWS_AT_ONCE))


def main(way: str, source: str, folder: Path) -> None:
    """Of a file of trips, a file of rows."""
    with duckdb.connect() as database:
        database.execute("SET threads = 2; SET TimeZone = 'UTC'; SET preserve_insertion_order = false")
        read = f"SELECT {KEY} AS key, epoch_us({START}::TIMESTAMPTZ) AS us, {SECONDS} AS s"
        database.execute(f"CREATE VIEW trips AS {read} FROM '{folder}/trips.{source}'")
        database.execute(f"COPY (SELECT {LISTED} FROM ({WAYS[way]})) TO '{folder}/duckdb_{way}_{source}.parquet'")


if __name__ == "__main__":
    if sys.argv[1] == "landing":
        landing(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
