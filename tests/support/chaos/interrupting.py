"""Ctrl-C at random moments of a command that starts Spark, many times."""

from pathlib import Path

from pipelines.config import Config
from tests.support.interrupts import interrupts, started_in_s
from tests.support.lakes import ingest
from tests.support.replay import landing

REPORTED_EVERY = 20


def interrupt(place: Path, times: int, seed: int) -> int:
    """Interrupt that often, over a small lake in `place`; prints each interrupt after which the command went on, or
    something of it did, and returns how many these were."""
    config = Config(place / "home", place / "landing")
    landing.write(config.landing, landing.trips())
    ingest(config, "bikes")
    # The first start may be the machine's first: it reads all files from the disk, and compiles kernels.
    until_s = min(started_in_s(config) for _ in range(2))
    disobeyed, slowest_s = 0, 0.0
    for number, each in enumerate(interrupts(config, times, until_s, seed), 1):
        slowest_s = max(slowest_s, each.took_s)
        if number % REPORTED_EVERY == 0:
            print(f"{number} interrupts, {disobeyed} not obeyed", flush=True)
        if not each.is_obeyed:
            disobeyed += 1
            print(f"after {each.after_s:.2f} s: exit {each.exit_code}, left {each.left}\n{each.wrote}", flush=True)
    of = f"{times} interrupts in the first {until_s:.1f} s of a backfill with Spark, seed {seed}"
    print(f"{of}: {disobeyed} not obeyed; the slowest end took {slowest_s:.1f} s", flush=True)
    return disobeyed
