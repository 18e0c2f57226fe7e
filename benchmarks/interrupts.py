"""Ctrl-C at random moments of Spark's start: `python -m benchmarks.interrupts --times 200`. Exits with 1 if one was not
obeyed: the command went on, or something of it did."""

import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path

from pipelines.config import Config
from tests.support.interrupts import interrupts, started_in_s
from tests.support.lakes import ingest
from tests.support.replay import landing


def main() -> int:
    """The command line; prints a line for each interrupt that was not obeyed, and the count."""
    parser = ArgumentParser(prog="python -m benchmarks.interrupts", description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return measure(Config(Path(folder, "home"), Path(folder, "landing")), chosen.times, chosen.seed)


def measure(config: Config, times: int, seed: int) -> int:
    """Interrupt that often; 1 if one was not obeyed, else 0."""
    landing.write(config.landing, landing.trips())
    ingest(config, "bikes")
    until_s = started_in_s(config)
    disobeyed, slowest_s = 0, 0.0
    for each in interrupts(config, times, until_s, seed):
        slowest_s = max(slowest_s, each.took_s)
        if not each.is_obeyed:
            disobeyed += 1
            print(f"after {each.after_s:.2f} s: exit {each.exit_code}, left {each.left}\n{each.wrote}", flush=True)
    of = f"{times} interrupts in the first {until_s:.1f} s, seed {seed}"
    print(f"{of}: {disobeyed} not obeyed; the slowest end took {slowest_s:.1f} s")
    return int(disobeyed > 0)


if __name__ == "__main__":
    sys.exit(main())
