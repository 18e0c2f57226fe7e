"""Lakes of generated bike trips, ingested but not replayed, and what a command over a fresh copy of one costs."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.process_tree import watched
from benchmarks.processor import Spent
from tests.support.lakes import ingest
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.samples import bikes
from windrow.schemas.streams.bikes import STREAM
from windrow.schemas.tables import silver_table

LAST_DAY = date(2018, 11, 30)
Words = Sequence[str]


class IngestedLake(NamedTuple):
    """Its folders, and the days of its trips up to LAST_DAY."""

    config: Config
    days: int
    trips_per_day: int

    @property
    def first_day(self) -> date:
        """Of its arrivals."""
        return LAST_DAY - timedelta(days=self.days - 1)

    @property
    def events(self) -> int:
        """Rows of silver."""
        return Lake(self.config).dataset(silver_table(STREAM).name).count_rows()

    def copy(self, way: str) -> Config:
        """Where a way's rounds run."""
        return Config(self.config.home.parent / way, self.config.landing)

    def described(self) -> str:
        """For a page."""
        return f"{self.days} days of {self.trips_per_day:,} generated trips, {self.events:,} events in silver"


def ingested(home: Path, days: int, trips_per_day: int) -> IngestedLake:
    """Made when it is first asked for."""
    folder = home / f"{days}-days-of-{trips_per_day}"
    config = Config(folder / "ingested", folder / "landing", asked_engine="local")
    if not config.home.exists():
        bikes.write(config.landing, days, LAST_DAY, trips_per_day=trips_per_day)
        ingest(config, STREAM.name)
    return IngestedLake(config, days, trips_per_day)


def backfill_words(queries: Sequence[str], first: date, last: date, engine: str = "local") -> Words:
    """The command that is measured, for a Python."""
    days = ("--from", str(first), "--to", str(last))
    return ("-m", "windrow.pipelines", "backfill", *queries, *days, "--engine", engine)


def costs(lake: IngestedLake, commands: Mapping[str, Words], rounds: int) -> dict[str, Spent]:
    """By way, the least of its rounds: a neighbour on the machine makes every figure worse. The ways take turns, each
    round in another order; what a way's last round left is in its copy of the lake."""
    found: dict[str, list[Spent]] = {way: [] for way in commands}
    for number in range(rounds):
        for way in Random(number).sample(list(commands), len(commands)):
            found[way].append(_over_fresh_copy(lake, way, commands[way]))
            print(f"{lake.described()}: {way}, {found[way][-1].processor_s:.1f} processor s", flush=True)
    return {way: min(spent, key=lambda each: each.processor_s) for way, spent in found.items()}


def _over_fresh_copy(lake: IngestedLake, way: str, words: Words) -> Spent:
    config = lake.copy(way)
    shutil.rmtree(config.home, ignore_errors=True)
    shutil.copytree(lake.config.home, config.home, copy_function=os.link)  # none of its files ever changes
    places = {"WINDROW_HOME": str(config.home), "WINDROW_LANDING": str(config.landing)}
    return spent([sys.executable, *words], os.environ | places)


def spent(words: Words, environment: Mapping[str, str]) -> Spent:
    """Of a command and all that it started."""
    seen = watched(words, environment)
    return Spent(seen.wall_s, seen.processor_s)
