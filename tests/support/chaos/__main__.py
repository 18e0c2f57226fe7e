"""The command line: rounds until the minutes are over, a line for each, and what happened; then interrupts."""

import sys
import tempfile
import time
import traceback
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from pathlib import Path

import tests.support.chaos
from tests.support.chaos.real_files import STREAMS
from tests.support.chaos.round import Round
from tests.support.interrupts import interrupt
from windrow.pipelines import compiled


def main() -> int:
    """Exits with 1 where a round failed, whose lake stays for the user to look at, or an interrupt was not obeyed."""
    chosen = _parsed()
    compiled.ensure()
    failed = _rounds(chosen)
    disobeyed = 0
    if chosen.interrupts:
        with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
            disobeyed = interrupt(Path(folder), chosen.interrupts, chosen.seed)
    return int(bool(failed or disobeyed))


def _rounds(chosen: Namespace) -> list[str]:
    """Rounds until the minutes are over; returns the folders of those that failed."""
    streams = [each for each in STREAMS if each.stream in chosen.only.split(",")]
    happened: Counter[str] = Counter()
    until_s, number, failed = time.monotonic() + 60 * chosen.minutes, 0, []
    while time.monotonic() < until_s:
        seed, files = f"{chosen.seed}-{number}", streams[number % len(streams)]
        # Every stream comes with Spark and without, whether their number is odd or even.
        spark = (number + (len(streams) % 2 == 0) * (number // len(streams))) % 2 == 1
        made = Round(Path(tempfile.mkdtemp(prefix=f"chaos-{seed}-")), chosen.landing, files, seed, spark)
        if _ends_well(made, f"round {number} (seed {seed}, {files.stream}, {'Spark' if spark else 'no Spark'})"):
            made.tidy()
        else:
            failed.append(str(made.place))
        happened += made.happened
        number += 1
    counts = ", ".join(f"{count} {what}" for what, count in happened.items())
    print(f"{number} rounds, {len(failed)} failed {failed}: {counts}", flush=True)
    return failed


def _parsed() -> Namespace:
    parser = ArgumentParser(
        prog="python -m tests.support.chaos",
        description=tests.support.chaos.__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--interrupts", type=int, default=200)
    parser.add_argument("--landing", type=Path, default=Path("../shared/data"))
    parser.add_argument("--only", default=",".join(each.stream for each in STREAMS))
    return parser.parse_args()


def _ends_well(made: Round, name: str) -> bool:
    began_s = time.monotonic()
    try:
        made.run()
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        print(f"{name} FAILED in {made.place}:\n  " + "\n  ".join(made.story), flush=True)
        if not isinstance(sys.exc_info()[1], Exception):
            raise
        return False
    what = ", ".join(f"{count} {what}" for what, count in made.happened.items())
    print(f"{name}: as built at once after {time.monotonic() - began_s:.0f} s; {what}", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
