"""DuckDB: one statement a question, over all files at once. `known` is asked of the moments that the questions name."""

from pathlib import Path

import duckdb

from benchmarks.latemark.generator import AskedMoments, landing_of
from benchmarks.latemark.questions import (
    AHEAD_AT_MOST,
    DAY,
    GAP,
    KNOWN_SIZE,
    MEDIAN_SIZE,
    NEXMARK_SIZE,
    SECOND,
    TOP,
    TOP_SIZE,
    TUMBLING_SIZE,
    us,
)

TITLE = "DuckDB"
NO_ANSWER: dict[str, str] = {}
# Copies are equal but for their arrival; columns that a question doesn't read are not read.
BIDS = f"""
CREATE VIEW bids AS
SELECT id, any_value(auction) AS auction, any_value(bidder) AS bidder, any_value(price) AS price,
       any_value(channel) AS channel, any_value(source) AS source,
       any_value(epoch_us(date_time)) AS at_us, min(epoch_us(arrival)) AS arrival
FROM read_parquet('{{landing}}/*.parquet')
WHERE epoch_us(date_time) - epoch_us(arrival) <= {us(AHEAD_AT_MOST)}
GROUP BY id
"""


def bounds(start: str, size: int) -> str:
    """Of windows, from an expression of their starts in µs."""
    return f"make_timestamp({start}) AS window_start, make_timestamp({start} + {size}) AS window_end"


def tumbling(keys: str, size: int, values: str) -> str:
    """Windows on a grid."""
    key = f"{keys}, " if keys else ""
    return f"""
    SELECT {key}{bounds("start", size)}, {values}
    FROM (SELECT *, at_us // {size} * {size} AS start FROM bids) GROUP BY {key}start"""


def sessions(gap: int, values: str) -> str:
    """Bids whose neighbours are less than a gap apart."""
    return f"""
    WITH placed AS (SELECT bidder, at_us, price,
             at_us - lag(at_us) OVER w >= {gap} OR lag(at_us) OVER w IS NULL AS begins
             FROM bids WINDOW w AS (PARTITION BY bidder ORDER BY at_us)),
         numbered AS (SELECT *, sum(begins::INT) OVER (PARTITION BY bidder ORDER BY at_us) AS number FROM placed)
    SELECT bidder, make_timestamp(min(at_us)) AS window_start, make_timestamp(max(at_us) + {gap}) AS window_end,
           {values}
    FROM numbered GROUP BY bidder, number"""


PANES = us(DAY) // us(SECOND)
SLIDING = f"""
WITH panes AS (SELECT at_us // {us(SECOND)} AS pane, count(*) AS bids, max(price) AS top_price FROM bids GROUP BY pane),
     grid AS (SELECT unnest(range(min(pane), max(pane) + {PANES})) AS pane FROM panes)
SELECT {bounds(f"(pane - {PANES - 1}) * {us(SECOND)}", us(DAY))},
       (sum(bids) OVER day)::BIGINT AS bids, max(top_price) OVER day AS top_price
FROM grid LEFT JOIN panes USING (pane)
WINDOW day AS (ORDER BY pane ROWS BETWEEN {PANES - 1} PRECEDING AND CURRENT ROW)
QUALIFY sum(bids) OVER day IS NOT NULL"""
RANKED = ", ".join(f"max(auction) FILTER (place = {k}) AS auction_{k}" for k in range(1, TOP + 1))
TOP_K = f"""
WITH counted AS (SELECT at_us // {us(TOP_SIZE)} * {us(TOP_SIZE)} AS start, auction, count(*) AS bids
                 FROM bids GROUP BY ALL),
     ranked AS (SELECT *, row_number() OVER (PARTITION BY start ORDER BY bids DESC, auction) AS place
                FROM counted QUALIFY place <= {TOP})
SELECT {bounds("start", us(TOP_SIZE))}, {RANKED} FROM ranked GROUP BY start"""
KNOWN = f"""
WITH moments AS (SELECT unnest($moments) AS moment),
     parts AS (SELECT source, at_us // {us(KNOWN_SIZE)} * {us(KNOWN_SIZE)} AS start, moment,
                      count(*) AS bids, max(price) AS top_price
               FROM bids ASOF JOIN moments ON arrival <= moment GROUP BY ALL)
SELECT source, {bounds("start", us(KNOWN_SIZE))}, make_timestamp(moment) AS known_at,
       (sum(bids) OVER before)::BIGINT AS bids, max(top_price) OVER before AS top_price
FROM parts WINDOW before AS (PARTITION BY source, start ORDER BY moment)"""
COUNTED, HIGHEST = "count(*) AS bids", "max(price) AS top_price"
WINNER = ", ".join(f"arg_max({name}, (price, -at_us, -arrival)) AS {name}" for name in ("auction", "bidder"))
STATEMENTS = {
    "tumbling": tumbling("channel", us(TUMBLING_SIZE), f"{COUNTED}, sum(price)::BIGINT AS total_price, {HIGHEST}"),
    "sliding": SLIDING,
    "sessions": sessions(us(GAP), f"{COUNTED}, sum(price)::BIGINT AS total_price"),
    "top_k": TOP_K,
    "median": tumbling("source", us(MEDIAN_SIZE), "median(price) AS median_price"),
    "known": KNOWN,
    "q7": tumbling("", us(NEXMARK_SIZE), f"{HIGHEST}, {WINNER}"),
    "q11": sessions(us(NEXMARK_SIZE), COUNTED),
}


def answer(question: str, folder: Path, into: Path) -> None:
    """Two threads; rows in no order."""
    parameters = {"moments": AskedMoments.of(folder).moments_us} if question == "known" else {}
    run(STATEMENTS[question], parameters, folder, into)


def run(statement: str, parameters: dict, folder: Path, into: Path) -> None:
    """Write what a statement over the bids gives."""
    with duckdb.connect() as database:
        database.execute("SET threads = 2; SET preserve_insertion_order = false")
        database.execute(BIDS.format(landing=landing_of(folder)))
        database.sql(statement, params=parameters).write_parquet(str(into), compression="uncompressed")
