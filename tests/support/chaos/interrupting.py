"""Ctrl-C at random moments of a command that starts Spark, many times."""

from pathlib import Path

from pipelines.config import Config
from tests.support.interrupts import interrupts, started_in_s
from tests.support.lakes import ingest
from tests.support.replay import landing


def interrupt(place: Path, times: int, seed: int) -> int:
    """Interrupt that often, over a small lake in `place`; prints each interrupt after which the command went on, or
    something of it did, and returns how many these were."""
    config = Config(place / "home", place / "landing")
    landing.write(config.landing, landing.trips())
    ingest(config, "bikes")
    until_s = started_in_s(config)
    disobeyed, slowest_s = 0, 0.0
    for each in interrupts(config, times, until_s, seed):
        slowest_s = max(slowest_s, each.took_s)
        if not each.is_obeyed:
            disobeyed += 1
            print(f"after {each.after_s:.2f} s: exit {each.exit_code}, left {each.left}\n{each.wrote}", flush=True)
    of = f"{times} interrupts in the first {until_s:.1f} s of a backfill with Spark, seed {seed}"
    print(f"{of}: {disobeyed} not obeyed; the slowest end took {slowest_s:.1f} s", flush=True)
    return disobeyed
