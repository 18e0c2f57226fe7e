"""Windrow in memory: `windrow.replay_table`, which takes each event once, so copies and wrong clocks go first."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.latemark.generator import landing_of
from benchmarks.latemark.questions import AHEAD_AT_MOST, EVERY
from windrow import replay_table

TITLE = "Windrow, in memory"
NO_ANSWER: dict[str, str] = {}


def answer(question: str, folder: Path, into: Path) -> None:
    """Every row version that a streaming system would have emitted; of final questions there is one a window."""
    asked = EVERY[question]
    events = _events(folder, asked.query.read_columns)
    rows = replay_table(events, asked.query, complete=True, ahead_at_most=AHEAD_AT_MOST)
    if asked.known:
        rows = rows.append_column("known_at", rows["emitted_at"])
    pq.write_table(rows.select(asked.columns), into, compression="none")


def _events(folder: Path, read: tuple[str, ...]) -> pa.Table:
    bids = pq.read_table(landing_of(folder), columns=["id", "date_time", "arrival", *read])
    bids = bids.filter(pc.less_equal(pc.subtract(bids["date_time"], bids["arrival"]), pa.scalar(AHEAD_AT_MOST)))
    first = np.unique(bids["id"].to_numpy(), return_index=True)[1]  # files are in the order of arrival
    bids = bids.take(np.sort(first))
    times = {"start": bids["date_time"], "end": bids["date_time"], "arrival": bids["arrival"]}
    return pa.table({**{name: bids[name] for name in read}, **times, "seq": np.arange(len(bids))})
