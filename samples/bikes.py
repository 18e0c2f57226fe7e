"""Made-up bike trips in both Citi Bike layouts, with the disorder and dirt that the real files have.

    python -m windrow.samples.bikes --into var/landing --days 7 --last-day 2018-11-05 --seed 1

The same arguments give the same bytes. Files are named as generated:

    bikes/generated-jc/JC-201811-generated.csv.gz     15 columns, a month a file, sorted by start station
    bikes/generated-nyc/trips-2018-11-05.csv.gz       6 columns, a day a file, nearly in order of start
    bikes/generated-nyc/stations.csv.gz               no events
"""

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path

from windrow.samples.writing import days_until, end_us, local_time, main, write_lines
from windrow.schemas.local_time import day_starts_us
from windrow.schemas.streams.bikes import DAILY, MONTHLY, ZONE

SECOND_US = 1_000_000
DAY_S = 86_400
# Shares of trips by hour of the day, measured on all real files together, in thousandths.
TRIPS_BY_HOUR = (8, 4, 3, 2, 2, 5, 17, 45, 90, 65, 46, 48, 55, 57, 57, 57, 65, 95, 98, 74, 50, 33, 23, 14)
SHORTEST_S, LONGEST_S = 61, 4_603_308  # as in the real files: the longest was forgotten for 53 days
TAIL_SHARE = 0.005  # trips of an hour to a day, beyond the log-normal
LONG_SHARE = 0.0003  # trips of more than a day
DUPLICATE_SHARE = 0.00022  # rows of a daily file that are there twice
# Rows of a daily file slip back by a few places: this mean puts a fifth of them behind a later start.
SLIP_MEAN_ROWS = 1.3
FAR_SLIP_SHARE, FAR_SLIP_ROWS = 0.001, 40


@dataclass(frozen=True)
class BikeCity:
    """What differs between the two sources."""

    name: str
    first_station: int
    stations: int
    share_of_trips: float
    centre_deg: tuple[float, float]
    log_duration_mean: float
    log_duration_deviation: float
    customer_share: float


JERSEY_CITY = BikeCity("jc", 3183, 51, 0.2, (40.72, -74.05), 5.9, 0.73, 0.07)
NEW_YORK = BikeCity("nyc", 72, 600, 0.8, (40.73, -73.98), 6.5, 0.78, 0.17)


@dataclass(frozen=True)
class Trip:
    """A trip; times in µs since the epoch, UTC."""

    start_us: int
    end_us: int
    start_station: int
    end_station: int
    bike: int
    subscriber: bool
    birth_year: int
    gender: int

    @property
    def duration_s(self) -> int:
        return (self.end_us - self.start_us) // SECOND_US


def write(into: Path, days: int, last_day: date, seed: int = 1, trips_per_day: int = 4_000) -> list[Path]:
    """Write both layouts for `days` local days up to `last_day` below `into`, and return the files.

    They hold the trips whose bikes are back by the end of `last_day` in UTC: the others are not known yet.
    """
    all_days = days_until(last_day, days)
    known_until_us = end_us(last_day)
    written = [write_lines(into / "bikes/generated-nyc/stations.csv.gz", _station_lines())]
    for day in all_days:
        trips = _trips_of(NEW_YORK, day, seed, trips_per_day, known_until_us, day == all_days[0])
        path = into / f"bikes/generated-nyc/trips-{day}.csv.gz"
        written.append(write_lines(path, _daily_lines(trips, random.Random(f"{seed} daily {day}"))))
    for month, days_of_month in groupby(all_days, key=lambda day: f"{day:%Y%m}"):
        trips = [
            trip
            for day in days_of_month
            for trip in _trips_of(JERSEY_CITY, day, seed, trips_per_day, known_until_us, day == all_days[0])
        ]
        path = into / f"bikes/generated-jc/JC-{month}-generated.csv.gz"
        written.append(write_lines(path, _monthly_lines(trips, random.Random(f"{seed} monthly {month}"))))
    return written


def _trips_of(
    city: BikeCity, day: date, seed: int, trips_per_day: int, known_until_us: int, is_first: bool
) -> list[Trip]:
    """A day's trips in order of start; the first day of all has one that lasts for days."""
    chance = random.Random(f"{seed} {city.name} {day}")
    midnight_us, next_midnight_us = day_starts_us(ZONE, day, day + timedelta(days=1))
    starts_us = sorted(
        _start_us(chance, midnight_us, next_midnight_us)
        for _ in range(max(1, round(trips_per_day * city.share_of_trips)))
    )
    trips = [
        _trip(city, chance, start_us, known_until_us, is_first and number == 0)
        for number, start_us in enumerate(starts_us)
    ]
    return [trip for trip in trips if trip.end_us < known_until_us]


def _start_us(chance: random.Random, midnight_us: int, next_midnight_us: int) -> int:
    """A start, by hour of the day in elapsed time, so that a repeated hour has trips in both its runs."""
    hour = chance.choices(range(24), TRIPS_BY_HOUR)[0] + chance.random()
    start_us = midnight_us + int(hour / 24 * (next_midnight_us - midnight_us))
    return start_us // 1_000 * 1_000


def _trip(city: BikeCity, chance: random.Random, start_us: int, known_until_us: int, long: bool) -> Trip:
    duration_s = _duration_s(city, chance, (known_until_us - start_us) / SECOND_US, long)
    subscriber = chance.random() >= city.customer_share
    return Trip(
        start_us,
        start_us + int(duration_s * 1_000) * 1_000,
        _station(city, chance),
        _station(city, chance),
        chance.randrange(29_000, 29_600),
        subscriber,
        _birth_year(city, chance, subscriber),
        chance.choices((0, 1, 2), (3, 72, 25) if subscriber else (50, 33, 17))[0],
    )


def _duration_s(city: BikeCity, chance: random.Random, left_s: float, long: bool) -> float:
    if (long or chance.random() < LONG_SHARE) and left_s > DAY_S:
        return _log_uniform(chance, DAY_S, min(left_s, LONGEST_S))
    if chance.random() < TAIL_SHARE:
        return _log_uniform(chance, 3_600, DAY_S)
    return max(SHORTEST_S, chance.lognormvariate(city.log_duration_mean, city.log_duration_deviation))


def _log_uniform(chance: random.Random, low: float, high: float) -> float:
    return math.exp(chance.uniform(math.log(low), math.log(high)))


def _station(city: BikeCity, chance: random.Random) -> int:
    """A station; the square makes some much busier than others."""
    return city.first_station + int(chance.random() ** 2 * city.stations)


def _birth_year(city: BikeCity, chance: random.Random, subscriber: bool) -> int:
    """A year of birth: 0 is New York's unknown, 1969 Jersey City's; a few are beyond belief."""
    if not subscriber and chance.random() < 0.9:
        return 0 if city is NEW_YORK else 1969
    return chance.randrange(1886, 1900) if chance.random() < 0.0005 else 2_000 - int(chance.lognormvariate(2.9, 0.6))


def _daily_lines(trips: list[Trip], chance: random.Random) -> Iterator[str]:
    """The six columns, nearly in order of start, some rows twice, two of them spoilt."""
    yield ",".join(DAILY.header)
    lines = [_daily_line(trip) for _, trip in sorted(_slipped(trips, chance), key=lambda pair: pair[0])]
    for _ in range(max(1, round(len(lines) * DUPLICATE_SHARE))):
        twice = chance.randrange(len(lines))
        lines.insert(twice, lines[twice])
    yield from _spoil(lines, chance, (f"{lines[0]},surplus", lines[0].replace("-", "?", 1)))


def _slipped(trips: list[Trip], chance: random.Random) -> Iterator[tuple[float, Trip]]:
    for row, trip in enumerate(trips):
        mean = FAR_SLIP_ROWS if chance.random() < FAR_SLIP_SHARE else SLIP_MEAN_ROWS
        yield row + chance.expovariate(1 / mean), trip


def _daily_line(trip: Trip) -> str:
    route = f"{trip.start_station},{trip.end_station}"
    rider = f"{int(trip.subscriber)},{trip.birth_year}"
    return f"{local_time(trip.start_us, ZONE):%Y-%m-%d %H:%M:%S},{trip.duration_s},{route},{rider}"


def _monthly_lines(trips: list[Trip], chance: random.Random) -> Iterator[str]:
    """The 15 columns, station by station in order of start, three of the lines spoilt."""
    yield ",".join(f'"{name}"' for name in MONTHLY.header)
    lines = [_monthly_line(trip) for trip in sorted(trips, key=lambda trip: (trip.start_station, trip.start_us))]
    yield from _spoil(lines, chance, (lines[0].rpartition(",")[0], "", lines[0].replace(":", "h")))


def _monthly_line(trip: Trip) -> str:
    user = "Subscriber" if trip.subscriber else "Customer"
    return (
        f'{trip.duration_s},"{_decimals(trip.start_us)}","{_decimals(trip.end_us)}",'
        f"{_place(JERSEY_CITY, trip.start_station)},{_place(JERSEY_CITY, trip.end_station)},"
        f'{trip.bike},"{user}",{trip.birth_year},{trip.gender}'
    )


def _spoil(lines: list[str], chance: random.Random, spoilt: Iterable[str]) -> list[str]:
    for line in spoilt:
        lines.insert(chance.randrange(len(lines) + 1), line)
    return lines


def _decimals(time_us: int) -> str:
    return f"{local_time(time_us, ZONE):%Y-%m-%d %H:%M:%S.%f}"[:-2]


def _place(city: BikeCity, station: int) -> str:
    latitude, longitude = _position_deg(city, station)
    return f'{station},"Generated {station}",{latitude},{longitude}'


def _position_deg(city: BikeCity, station: int) -> tuple[float, float]:
    """Stations on a spiral around the city's centre."""
    number = station - city.first_station
    reach_deg, angle = 0.002 * math.sqrt(number), 2.4 * number
    latitude, longitude = city.centre_deg
    return round(latitude + reach_deg * math.sin(angle), 6), round(longitude + reach_deg * math.cos(angle), 6)


def _station_lines() -> Iterator[str]:
    yield "station_id,latitude,longitude,name"
    for station in range(NEW_YORK.first_station, NEW_YORK.first_station + NEW_YORK.stations):
        latitude, longitude = _position_deg(NEW_YORK, station)
        yield f'{station},{latitude},{longitude},"Generated {station}"'


if __name__ == "__main__":
    main("bikes", write, "trips_per_day", 4_000)
