"""What all generators of landing files share: writing a file, and the command line."""

import gzip
import os
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    """Write under another name first, so that no ingest meets half a file; no time stamp, so bytes repeat."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.part")
    with half.open("wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        packed.writelines(f"{line}\n".encode() for line in lines)
    os.replace(half, path)
    return path


def days_until(last_day: date, days: int) -> list[date]:
    """So many days, the last one included."""
    return [last_day - timedelta(days=days - 1 - n) for n in range(days)]


def end_us(day: date) -> int:
    """The first µs after a day, UTC: what ends later is not known on that day."""
    return (day - EPOCH.date() + timedelta(days=1)) // timedelta(microseconds=1)


def local_time(time_us: int, zone: str) -> datetime:
    """What the clocks of a zone show at a time in µs since the epoch, UTC."""
    return (EPOCH + timedelta(microseconds=time_us)).astimezone(ZoneInfo(zone))


def main(stream: str, write: Callable[..., list[Path]], amount: str, default: int) -> None:
    """The command line of a generator. `amount`: the name of its number of events a day."""
    parser = ArgumentParser(
        prog=f"python -m windrow.samples.{stream}",
        description=f"Write generated landing files of the stream {stream} into a folder.",
    )
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    parser.add_argument("--into", type=Path, required=True, help="the landing folder")
    parser.add_argument("--days", type=_at_least_one, default=7, help="how many days (default: 7)")
    parser.add_argument(
        "--last-day", type=date.fromisoformat, default=yesterday, help="the last of them (default: yesterday, UTC)"
    )
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same bytes (default: 1)")
    parser.add_argument(
        f"--{amount.replace('_', '-')}",
        type=_at_least_one,
        default=default,
        help=f"of all files together (default: {default})",
    )
    chosen = vars(parser.parse_args())
    files = write(chosen["into"], chosen["days"], chosen["last_day"], chosen["seed"], chosen[amount])
    print(f"{len(files)} generated files in {chosen['into']}, stream {stream}, seed {chosen['seed']}")


def _at_least_one(text: str) -> int:
    if int(text) < 1:
        raise ValueError(text)
    return int(text)
