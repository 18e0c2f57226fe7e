"""Repeat a history and print its calls, or run many and say how many that makes an hour:

python -m tests.support.faults --seed 7
python -m tests.support.faults --histories 1000 --first 1
"""

import argparse
import os
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.support.faults.history import Histories, History, histories
from tests.support.faults.world import Broken


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--seed", type=int)
    asked.add_argument("--histories", type=int, default=1_000)
    asked.add_argument("--first", type=int, default=1)
    asked.add_argument("--until-broken", action="store_true")
    given = asked.parse_args()
    os.environ.setdefault("WINDROW_ENGINE", "local")
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder, histories(Path(folder)) as made:
        if given.seed is not None:
            print(made.run(given.seed).story())
        else:
            _many(made, range(given.first, given.first + given.histories), given.until_broken)


def _many(made: Histories, seeds: range, until_broken: bool) -> None:
    found, began, cpu_s = Counter[str](), time.monotonic(), time.process_time()
    for seed in seeds:
        try:
            found += _counted(made.run(seed))
        except Broken as broken:
            found["broken"] += 1
            print(f"seed {seed}: {str(broken).splitlines()[0]}", flush=True)
        if until_broken and found["broken"]:
            break
    seconds, cpu_s = time.monotonic() - began, time.process_time() - cpu_s
    done = found["histories"] + found["broken"]
    print(
        f"{done / seconds * 3600:,.0f} an hour: {done} in {seconds:.1f} s, {cpu_s:.1f} s of a processor; {dict(found)}"
    )


def _counted(history: History) -> Counter[str]:
    ends = (end for of_process in history.processes for each in of_process for end in each.ends)
    return Counter(ends) + Counter(histories=1, calls=history.world.calls, faults=history.world.faults)


if __name__ == "__main__":
    main()
