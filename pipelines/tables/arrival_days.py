"""What an ingest noted of each arrival day of silver (`partitions_<stream>`), at one version; and heartbeats of a
stream that is silent, in µs: what `schemas/validation.py` says of `idle_after`.

    arrivals  ──x──x─────────────────|───────x────|      | midnight, UTC
    silences       ├────────────────▶├──────▶├───▶
    heartbeats          ♥    ♥    ♥      ♥      ♥

A silence begins at a tick or at midnight, and lasts until the next of these.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import NamedTuple

import numpy as np

from windrow.pipelines.delta.lake import Lake

EPOCH_DATE, DAY_US = date(1970, 1, 1), 86_400_000_000
# What the ledger calls the arrival days between which a run read.
FIRST_DAY, LAST_DAY = "first_arrival_day", "last_arrival_day"


def day_start_us(day: date) -> int:
    """The first microsecond of a day, UTC."""
    return (day - EPOCH_DATE).days * DAY_US


def beats_of_silences(since_us: np.ndarray, until_us: np.ndarray, every_us: int) -> np.ndarray:
    """Those of silences, one behind the other; of one that ends before it begins none. O(heartbeats)."""
    counts = np.maximum(0, (until_us - since_us - 1) // every_us)
    before = np.cumsum(counts) - counts
    number = np.arange(counts.sum()) - np.repeat(before, counts) + 1
    return np.repeat(since_us, counts) + number * every_us


def beats_between(arrival_us: np.ndarray, every_us: int) -> np.ndarray:
    """The heartbeats between arrivals in any order, and after the last one until its day ends; rising."""
    if not len(arrival_us):
        return np.empty(0, np.int64)
    first_day, last_day = arrival_us.min() // DAY_US, arrival_us.max() // DAY_US
    midnights = np.arange(first_day + 1, last_day + 2) * DAY_US
    points = np.unique(np.concatenate((arrival_us, midnights)))
    return beats_of_silences(points[:-1], points[1:], every_us)


class ArrivalDay(NamedTuple):
    """A row of `partitions_<stream>`, without its date. silver_version: which has had the day's rows since."""

    events: int
    newest_start: datetime
    silver_digest: str
    pass_digest: str
    silver_version: int

    @property
    def digests(self) -> dict[str, str]:
        """As the ledger keeps them."""
        return {"silver": self.silver_digest, "pass": self.pass_digest}


@dataclass(frozen=True)
class ArrivalDays:
    """The days that have events, by date."""

    by_date: Mapping[date, ArrivalDay]

    @classmethod
    def read(cls, lake: Lake, partitions: str, version: int | None = None) -> "ArrivalDays":
        """By default as they are now. O(arrival days)."""
        rows = lake.read(partitions, version, columns=["arrival_date", *ArrivalDay._fields]).to_pylist()
        return cls({row.pop("arrival_date"): ArrivalDay(**row) for row in rows})

    def differing(self, other: "ArrivalDays") -> set[date]:
        """The days whose events or pass ticks are not those of another version."""
        ours, theirs = ({day: noted.digests for day, noted in each.by_date.items()} for each in (self, other))
        return {day for day in ours.keys() | theirs.keys() if ours.get(day) != theirs.get(day)}

    @property
    def span(self) -> tuple[date, date] | None:
        """The first day and the newest."""
        return (min(self.by_date), max(self.by_date)) if self.by_date else None

    def events(self, day: date) -> int:
        """How many silver has of a day."""
        return self.by_date[day].events if day in self.by_date else 0

    def newest_before(self, day: date) -> date | None:
        """The newest arrival day before a day."""
        return max((each for each in self.by_date if each < day), default=None)

    def changing(self, first: date, last: date, has_heartbeats: bool) -> list[date]:
        """The days from the first to the last that can change rows: arrival days, and where the stream has heartbeats
        all since the first of these."""
        if self.span is None:
            return []
        if not has_heartbeats:
            return sorted(day for day in self.by_date if first <= day <= last)
        since = max(first, self.span[0])
        return [since + timedelta(days=n) for n in range((last - since).days + 1)]

    def digest_before(self, day: date) -> str:
        """Of all arrival days before a day, and of which there are. O(log arrival days), the first time O(these)."""
        days, digests = self._digests_before
        return digests[bisect_left(days, day)]

    @cached_property
    def _digests_before(self) -> tuple[list[date], list[str]]:
        """The days in order; a digest before each, and one behind the last."""
        days, digest = sorted(self.by_date), hashlib.sha256()
        found = [digest.hexdigest()[:16]]
        for each in days:
            noted = self.by_date[each]
            digest.update(f"{each} {noted.silver_digest} {noted.pass_digest}\n".encode())
            found.append(digest.hexdigest()[:16])
        return days, found

    def inputs(self, first: date, last: date) -> dict:
        """What the ledger keeps of a run that read the arrival days from `first` to `last`, both included."""
        read = sorted(each for each in self.by_date if first <= each <= last)
        digests = {each.isoformat(): self.by_date[each].digests for each in read}
        return {FIRST_DAY: first.isoformat(), LAST_DAY: last.isoformat(), "days": digests}
