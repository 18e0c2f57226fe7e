"""Citi Bike trips of New York and Jersey City: an event is a trip, known when the bike is back.

Two layouts: the operator's monthly files of Jersey City (15 columns), and days of New York cut down to six.
"""

from datetime import date, timedelta
from typing import Any

from windrow.schemas.fields import Choices, decimal_or_none, whole_number, whole_or_none
from windrow.schemas.local_time import REPEATED, SECOND_US, LocalClock, Moment
from windrow.schemas.stream import MOST, Column, Layout, Place, Record, Stream, packed_or_not

ZONE = "America/New_York"
CLOCK = LocalClock(ZONE)
# The longest real trip is a forgotten bike of 4,603,308 s: weeks are legal, a decade is a broken clock.
TEN_YEARS_S = 10 * 366 * 86_400
SUBSCRIBER, CUSTOMER = "subscriber", "customer"
USER_TYPES = Choices({"Subscriber": SUBSCRIBER, "Customer": CUSTOMER})
SUBSCRIBER_FLAGS = Choices({"1": SUBSCRIBER, "0": CUSTOMER})
GENDERS = Choices({"0": None, "1": "male", "2": "female", "": None})
NO_PLACES = (None,) * 7  # what a daily file doesn't have: names, latitudes, longitudes, bike


def parse_monthly(fields: list[str], _: Place) -> list[Record]:
    """A line is one trip: local start and stop with four decimals, and the reported whole seconds.

    Each column of the file becomes the table's column of the same meaning; the file's name is not used.
    """
    duration, started, stopped, *stations, bike, user, birth_year, gender = fields
    start_id, start_name, start_latitude, start_longitude, *ended = stations
    end_id, end_name, end_latitude, end_longitude = ended
    duration_s = whole_number(duration)
    start_us, end_us, note = nearest_to_duration(CLOCK.read(started), CLOCK.read(stopped), duration_s)
    places = (
        start_name or None, end_name or None,
        decimal_or_none(start_latitude), decimal_or_none(start_longitude),
        decimal_or_none(end_latitude), decimal_or_none(end_longitude), whole_or_none(bike),
    )  # fmt: skip
    rider = (USER_TYPES[user], whole_or_none(birth_year) or None, GENDERS[gender])
    values = (whole_or_none(start_id), whole_or_none(end_id), duration_s, *places, *rider, note)
    return [Record(start_us, end_us, end_us, values)]


def parse_daily(fields: list[str], _: Place) -> list[Record]:
    """A line is one trip: local start in whole seconds, and the duration; the end is their sum.

    `subscriber` is 1 for a subscriber and 0 for a customer; the file's name is not used.
    """
    started, duration, start_id, end_id, subscriber, birth_year = fields
    duration_s = whole_number(duration)
    start_us, _later_us, note = CLOCK.read(started)
    end_us = start_us + duration_s * SECOND_US
    rider = (SUBSCRIBER_FLAGS[subscriber], whole_or_none(birth_year) or None, None)
    values = (whole_or_none(start_id), whole_or_none(end_id), duration_s, *NO_PLACES, *rider, note)
    return [Record(start_us, end_us, end_us, values)]


def nearest_to_duration(start: Moment, stop: Moment, duration_s: int) -> tuple[int, int, str | None]:
    """The stream's clock rule: start and end in µs, and the note that counts its uses."""
    if start[2] is None and stop[2] is None:
        return start[0], stop[0], None
    pairs = [(start_us, end_us) for start_us in possible_us(start) for end_us in possible_us(stop)]
    start_us, end_us = min(pairs, key=lambda pair: abs(pair[1] - pair[0] - duration_s * SECOND_US))
    return start_us, end_us, start[2] or stop[2]


def possible_us(moment: Moment) -> tuple[int, ...]:
    """The records that the clock rule may choose from, in order of preference."""
    first_us, second_us, note = moment
    return (first_us, second_us) if note == REPEATED else (first_us,)


def monthly_column(name: str, type_: str, meaning: str, **limits: Any) -> Column:
    """A column that the daily files don't have."""
    return Column(name, type_, f"{meaning}; only the monthly files have it, null otherwise", **limits)


MONTHLY = Layout(
    name="monthly",
    paths=packed_or_not("bikes/citibike-jc/*", "bikes/generated-jc/*"),
    header=(
        "tripduration", "starttime", "stoptime",
        "start station id", "start station name", "start station latitude", "start station longitude",
        "end station id", "end station name", "end station latitude", "end station longitude",
        "bikeid", "usertype", "birth year", "gender",
    ),
    parse=parse_monthly,
    identity="line",
    fields=15,
    example=(
        Place("bikes/citibike-jc/201808.csv.gz", 2),
        '903,2018-08-01 06:40:33.3610,2018-08-01 06:55:37.1060,3183,"Exchange Place",40.7162,-74.0334,3270,'
        '"Jersey & 6th St",40.7253,-74.0456,29612,Subscriber,1977,1',
    ),
)  # fmt: skip
DAILY = Layout(
    name="daily",
    paths=packed_or_not("bikes/citibike-nyc-*/trips-*", "bikes/generated-nyc/trips-*"),
    header=("start_ts", "duration", "start_station", "end_station", "subscriber", "birth_year"),
    parse=parse_daily,
    identity="line",
    fields=6,
    example=(Place("bikes/citibike-nyc-2017/trips-2017-04-18.csv.gz", 2), "2017-04-18 00:00:14,285,3365,3423,1,1999"),
)
LATITUDE = {"unit": "degrees north", "low": -90, "high": 90}
LONGITUDE = {"unit": "degrees east", "low": -180, "high": 180}
COLUMNS = (
    Column("start_station_id", "int64", "station where the trip began; null away from all stations", low=0, high=MOST),
    Column("end_station_id", "int64", "station where the trip ended; null away from all stations", low=0, high=MOST),
    Column("trip_duration_s", "int64", "length of the trip as the operator reports it, whole seconds", "s",
           low=0, high=TEN_YEARS_S, nullable=False),
    monthly_column("start_station_name", "string", "name of the start station"),
    monthly_column("end_station_name", "string", "name of the end station"),
    monthly_column("start_latitude_deg", "float64", "latitude of the start station", **LATITUDE),
    monthly_column("start_longitude_deg", "float64", "longitude of the start station", **LONGITUDE),
    monthly_column("end_latitude_deg", "float64", "latitude of the end station", **LATITUDE),
    monthly_column("end_longitude_deg", "float64", "longitude of the end station", **LONGITUDE),
    monthly_column("bike_id", "int64", "the bike", low=0, high=MOST),
    Column("user_type", "string", "subscriber (yearly) or customer (by the day)", nullable=False),
    Column("birth_year", "int64", "the rider's year of birth as the rider gave it, however implausible; "
           "null where the file says 0 or nothing", "year", low=1, high=9999),
    monthly_column("gender", "string", "male or female, null for 0 (unknown)"),
    Column("clock_note", "string", "repeated hour or missing hour, if a local time of the trip fell into a change "
           "of the clocks and the stream's clock rule decided; null otherwise"),
)  # fmt: skip

STREAM = Stream(
    name="bikes",
    title="Citi Bike trips of New York and Jersey City",
    source="the operator's public system data; monthly files of Jersey City, single days of New York",
    layouts=(MONTHLY, DAILY),
    columns=COLUMNS,
    key=("start_station_id",),
    buckets=4,
    ahead_at_most=timedelta(0),
    zone=ZONE,
    clock_rule="A local time that occurs twice is read so that end - start is nearest to the reported duration; if "
    "both readings are equally near, or only the start is known, the first one is taken. A local time that doesn't "
    "exist is read with the offset before the change. clock_note marks both cases.",
    first_day=date(2013, 5, 27),
    why_these_days="the system opened on 2013-05-27, and still runs",
    not_events=tuple((path, "a list of stations: it holds no trips") for path in packed_or_not("bikes/*/stations")),
    start_meaning="when the bike was taken",
    arrival_meaning="when the bike was returned: before that the trip is not known",
)
