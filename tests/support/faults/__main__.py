"""python -m tests.support.faults --seed 7, or --histories 1000 --first 1"""

import argparse
import os
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("WINDROW_ENGINE", "local")


def main() -> None:
    from tests.support.faults.history import histories
    from tests.support.faults.world import Broken

    asked = argparse.ArgumentParser()
    asked.add_argument("--seed", type=int)
    asked.add_argument("--histories", type=int, default=1000)
    asked.add_argument("--first", type=int, default=1)
    asked.add_argument("--until-broken", action="store_true")
    given = asked.parse_args()
    seeds = [given.seed] if given.seed is not None else range(given.first, given.first + given.histories)
    root = Path(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    found: Counter[str] = Counter()
    try:
        with histories(root) as made:
            began = time.monotonic()
            cpu = time.process_time()
            for seed in seeds:
                try:
                    history = made.run(seed)
                    if given.seed is not None:
                        print(history.story())
                    found["calls"] += history.world.calls
                    found["faults"] += history.world.faults
                    for each in history.processes:
                        for doing in each:
                            found.update(doing.ends)
                except Broken as broken:
                    found["broken"] += 1
                    print(
                        str(broken) if given.seed is not None else f"seed {seed}: {str(broken).splitlines()[0][:400]}",
                        flush=True,
                    )
                    if given.until_broken:
                        break
            seconds = time.monotonic() - began
            print(
                f"{len(seeds)} histories in {seconds:.1f} s ({time.process_time() - cpu:.1f} cpu s): {len(seeds) / seconds * 3600:,.0f} an hour; {dict(found)}"
            )
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
