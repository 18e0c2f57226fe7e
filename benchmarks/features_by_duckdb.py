"""The features by DuckDB's statements: a process of its own.

    python -m benchmarks.features_by_duckdb WAY FOLDER

It reads events.parquet and labels.parquet of the folder and writes WAY.parquet.
"""

import sys
from pathlib import Path

import duckdb

from benchmarks.features_source import KEY, NORTH, SECONDS, SIZES_US, YOUNG

LONGEST_US = max(SIZES_US.values())
TABLES = f"""
CREATE TABLE events AS SELECT {KEY} AS key, epoch_us(start) AS start, epoch_us(arrival) AS arrival, {SECONDS} AS s,
    {NORTH} AS n, ({YOUNG})::INT AS young FROM '{{0}}/events.parquet';
CREATE TABLE labels AS SELECT label, {KEY} AS key, epoch_us(asked_at) AS asked FROM '{{0}}/labels.parquet'"""
PARTS = {
    "trips": "sum(trips)", "of_young": "sum(of_young)", "sum_s": "sum(sum_s)", "mean_s": "sum(sum_s) / sum(trips)",
    "shortest_s": "min(shortest_s)", "longest_s": "max(longest_s)", "sum_north": "sum(sum_north)",
    "mean_north": "sum(sum_north) / sum(trips)", "northernmost": "max(northernmost)",
    "last_s": "arg_max(last_s, last_start)",
}  # fmt: skip
COUNTS = ("trips", "of_young")


def bands(labels: str = "labels", known: str = "AND arrival <= asked") -> str:
    """A range join over the longest window; pairs go to the shortest window that holds them, and a window has those of
    all that are not longer."""
    band = " ".join(f"WHEN start > asked - {size} THEN {number}" for number, size in enumerate(SIZES_US.values()))
    whole = ", ".join(
        f"coalesce({part} FILTER (band <= {number}), 0)::BIGINT AS {name}_{window}" if name in COUNTS else
        f"{_filtered(part, number)} AS {name}_{window}"
        for number, window in enumerate(SIZES_US) for name, part in PARTS.items()
    )  # fmt: skip
    return f"""
    WITH parts AS (
        SELECT label, CASE {band} END AS band, count(*) AS trips, sum(young) AS of_young, sum(s) AS sum_s,
            min(s) AS shortest_s, max(s) AS longest_s, sum(n) AS sum_north, max(n) AS northernmost,
            arg_max(s, start) AS last_s, max(start) AS last_start
        FROM events JOIN {labels} l USING (key)
        WHERE start > asked - {LONGEST_US} AND start <= asked {known}
        GROUP BY ALL)
    SELECT l.label, {whole} FROM {labels} l LEFT JOIN parts USING (label) GROUP BY l.label"""


def _filtered(part: str, number: int) -> str:
    return part.replace(")", f") FILTER (band <= {number})")


def windows() -> str:
    """Frames over labels and events together."""
    over = {
        "trips": "count(s) OVER w", "of_young": "coalesce(sum(young) OVER w, 0)::BIGINT", "sum_s": "sum(s) OVER w",
        "mean_s": "avg(s) OVER w", "shortest_s": "min(s) OVER w", "longest_s": "max(s) OVER w",
        "sum_north": "sum(n) OVER w", "mean_north": "avg(n) OVER w", "northernmost": "max(n) OVER w",
        "last_s": "last_value(s IGNORE NULLS) OVER w",
    }  # fmt: skip
    columns = ", ".join(
        f"{each.replace('OVER w', f'OVER w{window}')} AS {name}_{window}"
        for window in SIZES_US for name, each in over.items()
    )  # fmt: skip
    frames = ", ".join(
        f"w{window} AS (PARTITION BY key ORDER BY asked RANGE BETWEEN {size - 1} PRECEDING AND CURRENT ROW)"
        for window, size in SIZES_US.items()
    )
    return f"""
    WITH together AS (SELECT NULL AS label, key, start AS asked, s, n, young FROM events
        UNION ALL BY NAME SELECT label, key, asked FROM labels)
    SELECT * FROM (SELECT label, {columns} FROM together WINDOW {frames}) WHERE label IS NOT NULL"""


def sums() -> str:
    """Differences of running sums at both bounds, which ASOF joins find, and the last trip at the upper; frames for
    what has no differences."""
    frames = ", ".join(
        f"w{window} AS (PARTITION BY key ORDER BY asked RANGE BETWEEN {size - 1} PRECEDING AND CURRENT ROW)"
        for window, size in SIZES_US.items()
    )
    extremes = ", ".join(
        f"min(s) OVER w{w} AS shortest_s_{w}, max(s) OVER w{w} AS longest_s_{w}, max(n) OVER w{w} AS northernmost_{w}"
        for w in SIZES_US
    )
    joins = " ".join(
        f"ASOF LEFT JOIN running r{w} ON l.key = r{w}.key AND l.asked - {size} >= r{w}.start"
        for w, size in SIZES_US.items()
    )  # fmt: skip
    differences = ", ".join(
        f"coalesce(t.{name}, 0) - coalesce(r{w}.{name}, 0) AS {name}_{w}"
        for w in SIZES_US for name in ("trips", "of_young", "sum_s", "sum_north")
    )  # fmt: skip
    columns = ", ".join(
        f"trips_{w}, of_young_{w}::BIGINT AS of_young_{w}, "
        f"CASE WHEN trips_{w} > 0 THEN sum_s_{w} END AS sum_s_{w}, sum_s_{w} / nullif(trips_{w}, 0) AS mean_s_{w}, "
        f"shortest_s_{w}, longest_s_{w}, CASE WHEN trips_{w} > 0 THEN sum_north_{w} END AS sum_north_{w}, "
        f"sum_north_{w} / nullif(trips_{w}, 0) AS mean_north_{w}, northernmost_{w}, "
        f"CASE WHEN trips_{w} > 0 THEN last_s END AS last_s_{w}"
        for w in SIZES_US
    )
    return f"""
    WITH running AS (SELECT key, start, s, count(*) OVER w AS trips, sum(young) OVER w AS of_young,
            sum(s) OVER w AS sum_s, sum(n) OVER w AS sum_north
            FROM events WINDOW w AS (PARTITION BY key ORDER BY start ROWS UNBOUNDED PRECEDING)),
        differences AS (SELECT l.label, t.s AS last_s, {differences}
            FROM labels l ASOF LEFT JOIN running t ON l.key = t.key AND l.asked >= t.start {joins}),
        together AS (SELECT NULL AS label, key, start AS asked, s, n FROM events
            UNION ALL BY NAME SELECT label, key, asked FROM labels),
        extremes AS (SELECT * FROM (SELECT label, {extremes} FROM together WINDOW {frames}) WHERE label IS NOT NULL)
    SELECT label, {columns} FROM differences JOIN extremes USING (label)"""


def patched() -> str:
    """As true, but for labels that a trip under way may touch: these by the range join."""
    return f"""
    WITH touched AS (SELECT * FROM labels l SEMI JOIN
            (SELECT key, start, arrival FROM events WHERE arrival > start) e
            ON l.key = e.key AND e.start <= l.asked AND e.arrival > l.asked),
        exact AS ({bands("touched")})
    SELECT * FROM ({sums()}) ANTI JOIN touched USING (label) UNION ALL BY NAME FROM exact"""


WAYS = {
    "true_windows": windows,
    "true_sums": sums,
    "true_join": lambda: bands(known=""),
    "known_join": bands,
    "known_patched": patched,
}


def main(way: str, folder: Path) -> None:
    """One way."""
    with duckdb.connect(config={"threads": 2, "memory_limit": "12GB"}) as database:
        database.execute(TABLES.format(folder))
        database.execute(f"COPY ({WAYS[way]()}) TO '{folder}/duckdb_{way}.parquet' (COMPRESSION uncompressed)")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
