"""Nexmark's bids, and the files that deliver them in the order of their arrival.

    python -m benchmarks.latemark.generator FOLDER [--bids 200000] [--pattern mixed] [--seed 1]

It writes FOLDER/landing/bids/bids-00000.parquet, … and FOLDER/asked.json. Parquet, since every way reads it with its
own best reader, and times come without a text that each would parse in its own way. A file ends where an arrival tick
ends, and its time of change is in the files' order, which is how Spark's stream orders them.

The proportions are those of Nexmark's generator: of 50 events 1 is a person, 3 are auctions and 46 bids; half of the
bids go to the hot auction of the last 100, three quarters come from the hot bidder of the last 100 persons; prices are
log-uniform; half of the channels are hot. Events other than bids, and the texts `url` and `extra`, are left out.
"""

import argparse
import json
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.latemark.arrivals import PATTERNS, SECOND_US, SOURCES, Columns
from windrow.pipelines.rows.arrays import times

EVENTS, PERSONS, AUCTIONS, BIDS = 50, 1, 3, 46
HOT_RATIO, FIRST_ID, ID_LEAD = 100, 1_000, 10
IN_FLIGHT_AUCTIONS, ACTIVE_PERSONS = 100, 1_000
HOT_CHANNELS, CHANNELS = ("Google", "Facebook", "Baidu", "Apple"), 10_000
BEGIN_US = 1_717_200_000 * SECOND_US
"""2024-06-01, a midnight in UTC."""
DAY_S = 86_400
FILES, FILES_A_MOMENT = 24, 2


class BidStream(NamedTuple):
    """How many bids, over how many seconds, with which pattern of arrivals."""

    bids: int = 200_000
    pattern: str = "mixed"
    seed: int = 1
    seconds: float = DAY_S

    def columns(self) -> Columns:
        """In the order of their arrival."""
        chance = np.random.default_rng(self.seed)
        columns = PATTERNS[self.pattern](self._made(chance), chance)
        order = np.lexsort((columns["id"], columns["arrival"]))
        return {name: values[order] for name, values in columns.items()}

    def _made(self, chance: np.random.Generator) -> Columns:
        number = np.arange(self.bids)
        batch = number // BIDS
        date_time = BEGIN_US + np.sort(chance.integers(0, int(self.seconds * SECOND_US), self.bids))
        return {
            "id": number,
            "auction": _auction(batch, chance),
            "bidder": _bidder(batch, chance),
            "price": np.round(10.0 ** chance.uniform(0, 6, self.bids) * 100).astype(np.int64),
            "channel": _channel(self.bids, chance),
            "source": chance.integers(0, SOURCES, self.bids),
            "date_time": date_time,
            "arrival": date_time.copy(),
        }


def _auction(batch: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    last = batch * AUCTIONS + AUCTIONS - 1
    first = np.maximum(last - IN_FLIGHT_AUCTIONS, 0)
    other = first + chance.integers(0, last - first + 1 + ID_LEAD)
    return FIRST_ID + np.where(chance.integers(0, 2, len(batch)) > 0, last // HOT_RATIO * HOT_RATIO, other)


def _bidder(batch: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    persons = batch * PERSONS + 1
    active = np.minimum(persons, ACTIVE_PERSONS)
    other = persons - active + chance.integers(0, active + ID_LEAD)
    hot = (persons - 1) // HOT_RATIO * HOT_RATIO + 1
    return FIRST_ID + np.where(chance.integers(0, 4, len(batch)) > 0, hot, other)


def _channel(count: int, chance: np.random.Generator) -> np.ndarray:
    names = np.array([*HOT_CHANNELS, *(f"channel-{number}" for number in range(CHANNELS))])
    hot, other = (chance.integers(low, high, count) for low, high in ((0, 4), (4, 4 + CHANNELS)))
    return names[np.where(chance.integers(0, 2, count) > 0, hot, other)]


class AskedMoments(NamedTuple):
    """What a question is asked about: the moments of `known`, in µs, and each file's last arrival."""

    moments_us: list[int]
    last_arrivals_us: list[int]

    @classmethod
    def of(cls, folder: Path) -> "AskedMoments":
        """As the generator left it."""
        return cls(**json.loads((folder / "asked.json").read_text()))


def as_table(columns: Columns) -> pa.Table:
    """Times as timestamps."""
    return pa.table({
        name: times(values) if name in ("date_time", "arrival") else values for name, values in columns.items()
    })  # fmt: skip


def landing_of(folder: Path) -> Path:
    """Where the files of bids lie."""
    return folder / "landing" / "bids"


def write(folder: Path, stream: BidStream, files: int = FILES) -> Columns:
    """Write the files; returns what is in them."""
    columns = stream.columns()
    table, arrival = as_table(columns), columns["arrival"]
    ends = np.unique(np.searchsorted(arrival, arrival[np.arange(1, files + 1) * len(arrival) // files - 1], "right"))
    landing_of(folder).mkdir(parents=True)
    for number, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        path = landing_of(folder) / f"bids-{number:05}.parquet"
        pq.write_table(table.slice(start, end - start), path)
        os.utime(path, (BEGIN_US // SECOND_US + number,) * 2)
    last = [int(arrival[end - 1]) for end in ends]
    asked = AskedMoments(last[FILES_A_MOMENT - 1 :: FILES_A_MOMENT] or last, last)
    (folder / "asked.json").write_text(json.dumps(asked._asdict()))
    return columns


def main() -> None:
    """Write the files of a stream."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bids", type=int, default=BidStream().bids)
    parser.add_argument("--pattern", choices=PATTERNS, default=BidStream().pattern)
    parser.add_argument("--seed", type=int, default=BidStream().seed)
    chosen = parser.parse_args()
    write(chosen.folder, BidStream(chosen.bids, chosen.pattern, chosen.seed))


if __name__ == "__main__":
    main()
