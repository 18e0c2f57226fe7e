"""How far Windrow goes on one machine: `make bench-limits`.

    python -m benchmarks.limits [--antennas 10000] [--days 2 10] [--files 1000 10000] [--runs 100000]
                                [--of days workers files runs] [--home var/limits] [--into docs/benchmarks]

It writes limits.md: many events by both engines, one and two workers of Spark, many files at once, a long ledger.
"""

import argparse
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import limits_days, limits_files, limits_runs, limits_workers
from benchmarks.pages import FOLDER, Figure, write
from windrow.pipelines import compiled
from windrow.pipelines.config import REPOSITORY

HOME = REPOSITORY / "var" / "limits"
OF_WORKERS = 5
"""Their day has this part of the antennas of one of many days."""


def figures(asked: argparse.Namespace) -> dict[str, Callable[[Path], Figure]]:
    """By what they are of."""
    return {
        "days": lambda home: limits_days.figure(home, asked.antennas, tuple(asked.days)),
        "workers": lambda home: limits_workers.figure(home, max(1, asked.antennas // OF_WORKERS)),
        "files": lambda home: limits_files.figure(home, tuple(asked.files)),
        "runs": lambda home: limits_runs.figure(home, asked.runs),
    }


def head(left_out: Sequence[str]) -> str:
    """Title, and what holds for all figures."""
    not_measured = f" Left out, by `--of`: {', '.join(left_out)}." if left_out else ""
    return (
        "# How far it goes\nEach command is a fresh process. Processor seconds are user and system of all its "
        f"processes. On average {os.getloadavg()[2]:.1f} processes ran or waited in the last quarter of an "
        f"hour.{not_measured}"
    )


def main(arguments: list[str] | None = None) -> Path:
    """Measure, print and write the page, whose path it returns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--antennas", type=int, default=10_000, help="of a day, 5,000 events each")
    parser.add_argument("--days", type=int, nargs=2, default=(2, 10))
    parser.add_argument("--files", type=int, nargs=2, default=(1_000, 10_000))
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--of", nargs="+", help="only these figures: days, workers, files, runs")
    parser.add_argument("--home", type=Path, default=HOME, help="a folder that is emptied")
    parser.add_argument("--into", type=Path, default=FOLDER, help="the page's folder")
    chosen = parser.parse_args(arguments)
    compiled.ensure()
    shutil.rmtree(chosen.home, ignore_errors=True)
    found, known = [], figures(chosen)
    asked = [name for name in known if name in (chosen.of or known)]
    for name in asked:
        found.append(known[name](chosen.home.resolve() / name))
        shutil.rmtree(chosen.home / name)
        page = write(chosen.into, "limits", head([each for each in known if each not in asked]), found)
    print(page.read_text())
    return page


if __name__ == "__main__":
    main()
