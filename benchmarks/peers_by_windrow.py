"""Windows by Windrow in memory: a process of its own.

python -m benchmarks.peers_by_windrow sliding|rolling parquet|csv FOLDER
python -m benchmarks.peers_by_windrow landing FIRST LAST       of its files, published rows of days
"""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from benchmarks.peers_source import COLUMNS, DAY, END, KEY, PARQUET, SECONDS, SLIDE, SLIDING
from windrow.pipelines.local import replay_table
from windrow.schemas.query import Query, agg, rolling, sliding

AGGREGATES = {"trips": agg("count"), "total_s": agg("sum", SECONDS), "longest_s": agg("max", SECONDS)}


def query(question: str) -> Query:
    """Last rows only, as peers give them; no trip is too late."""
    window = sliding(DAY, SLIDE) if question == SLIDING else rolling(DAY)
    return Query(question, "trips", (KEY,), window, AGGREGATES, timedelta(days=30), timedelta(days=30), emit="final")


def main(question: str, source: str, folder: Path) -> None:
    """Of a file of trips, a file of rows."""
    read = pq.read_table if source == PARQUET else csv.read_csv
    trips = read(folder / f"trips.{source}")
    events = trips.append_column("arrival", trips[END]).append_column("seq", pa.array(np.arange(len(trips))))
    rows = replay_table(events, query(question), complete=True).select(COLUMNS)
    pq.write_table(rows, folder / f"windrow_{question}_{source}.parquet")


def landing(first: str, last: str) -> None:
    """Ingest and backfill, as a user types them."""
    for words in (["ingest", "bikes"], ["backfill", "bikes_demand", "--from", first, "--to", last]):
        subprocess.run([sys.executable, "-m", "windrow.pipelines", *words, "--engine", "local"], check=True)


if __name__ == "__main__":
    if sys.argv[1] == "landing":
        landing(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
