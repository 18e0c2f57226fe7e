"""Made-up data sessions in the layout of the real ones, with the disorder and dirt that the real files have.

    python -m windrow.samples.cdr --into var/landing --days 7 --last-day 2015-08-20 --seed 1

The same arguments give the same bytes. Files are named as generated, and those of both cities have the same base name:

    cdr/generated-xdr/beijing/BY_USER_20150820.csv.gz       no header, 21 columns and more
    cdr/generated-xdr/guangzhou/BY_USER_20150820.csv.gz
"""

import random
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from windrow.samples.writing import days_until, end_us, local_time, main, write_lines
from windrow.schemas.local_time import day_starts_us
from windrow.schemas.streams.cdr import ZONE

SECOND_US = 1_000_000
# Shares of sessions by local hour, in thousandths: almost none at night, most of them before midnight.
SESSIONS_BY_HOUR = (12, 4, 2, 2, 2, 4, 10, 22, 30, 36, 38, 40, 44, 40, 38, 40, 42, 46, 50, 52, 56, 62, 78, 250)
# Of all sessions, as in the real files: zero length, ragged, a reported length that disagrees.
ZERO_SHARE, RAGGED_SHARE, DISAGREES_SHARE = 0.15, 0.06, 0.05
LONG_SHARE, LONGEST_S = 0.0005, 50 * 3_600
SESSIONS_A_DUMP = 20  # a file is a row of small dumps that are not in order among themselves
ACCESS_POINTS, PORTS, STATUSES = ("3gnet", "3GNET", "uninet", "cmnet"), (80, 443, 53, 8080), (0, 0, 0, 200, 302, 404)


@dataclass(frozen=True)
class City:
    """What differs between the two folders."""

    name: str
    first_area: int
    antennas: int
    subscribers: int
    share_of_sessions: float


CITIES = (City("beijing", 40_984, 300, 1_000, 0.42), City("guangzhou", 52_301, 500, 3_000, 0.58))


def write(into: Path, days: int, last_day: date, seed: int = 1, sessions_per_day: int = 4_000) -> list[Path]:
    """Write both cities for `days` local days up to `last_day` below `into`, and return the files.

    They hold the sessions that end by the end of `last_day` in UTC: the others are not known yet.
    """
    known_until_us = end_us(last_day)
    written = []
    for city in CITIES:
        for day in days_until(last_day, days):
            chance = random.Random(f"{seed} {city.name} {day}")
            count = max(1, round(sessions_per_day * city.share_of_sessions))
            sessions = [session for _ in range(count) if (session := _session(chance, day))[1] < known_until_us]
            path = into / f"cdr/generated-xdr/{city.name}/BY_USER_{day:%Y%m%d}.csv.gz"
            written.append(write_lines(path, _lines(city, chance, sessions)))
    return written


def _session(chance: random.Random, day: date) -> tuple[int, int]:
    """Start and end in µs; a few began on the day before."""
    (midnight_us,) = day_starts_us(ZONE, day, day)
    hour = chance.choices(range(24), SESSIONS_BY_HOUR)[0] + chance.random()
    ended_us = midnight_us + int(hour * 3_600 * SECOND_US)
    return ended_us - _length_us(chance), ended_us


def _length_us(chance: random.Random) -> int:
    if chance.random() < ZERO_SHARE:
        return 0
    if chance.random() < LONG_SHARE:
        return chance.randrange(3_600, LONGEST_S) * SECOND_US
    return min(3_600 * SECOND_US, int(chance.lognormvariate(1.2, 2.2) * SECOND_US))


def _lines(city: City, chance: random.Random, sessions: list[tuple[int, int]]) -> list[str]:
    """Dumps of sessions in order of their ends, the dumps in no order; two lines of the file are spoilt."""
    by_end = sorted(sessions, key=lambda session: session[1])
    dumps = [by_end[first : first + SESSIONS_A_DUMP] for first in range(0, len(by_end), SESSIONS_A_DUMP)]
    chance.shuffle(dumps)
    lines = [_line(city, chance, *session) for dump in dumps for session in dump]
    for spoilt in ("08:31.0", lines[0].rpartition(",,,")[0].replace(":", "h") + ",,," if lines else ""):
        lines.insert(chance.randrange(len(lines) + 1), spoilt)
    return lines


def _line(city: City, chance: random.Random, start_us: int, ended_us: int) -> str:
    antenna, length_us = int(chance.random() ** 2 * city.antennas), ended_us - start_us
    reported_s = length_us // SECOND_US + (chance.randrange(2, 60) if chance.random() < DISAGREES_SHARE else 0)
    who = f"{city.name[0]}{int(chance.random() ** 2 * city.subscribers):011}"
    where = f"{city.first_area + antenna % 17},{10_000 + antenna}"
    what = f"{chance.choice(ACCESS_POINTS)},{chance.randrange(350_000, 870_000)},10.0.0.1,10.0.0.2"
    sizes = f"{int(chance.lognormvariate(6, 2))},{int(chance.lognormvariate(7, 2.5))}"
    ended = f"{chance.choice((1, 2))},,,,{chance.choice(PORTS)},{chance.choice(STATUSES)},,,"
    ragged = "," * chance.randrange(1, 12) if chance.random() < RAGGED_SHARE else ""
    return f"{who},{where},{what},{_shown(start_us)},{_shown(ended_us)},{reported_s},{sizes},{ended}{ragged}"


def _shown(time_us: int) -> str:
    return f"{local_time(time_us, ZONE):%Y-%m-%d %H:%M:%S.%f}"


if __name__ == "__main__":
    main("cdr", write, "sessions_per_day", 4_000)
