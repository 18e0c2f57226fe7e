"""Bike trips: what both layouts say, the rule for changing clocks, and what is refused."""

from datetime import UTC, datetime, timedelta

import pytest

from windrow.schemas.parsing import belongs, identity_of, no_events, read_line
from windrow.schemas.stream import Record
from windrow.schemas.streams.bikes import DAILY, MONTHLY, STREAM
from windrow.testing.lines import choose_layout

PLACES = '3183,"Exchange Place",40.7162469,-74.0334588,3270,"Jersey & 6th St",40.72528910781132,-74.04557168483734'


START, STOP, RIDER = "2018-08-01 06:40:33.3610", "2018-08-01 06:55:37.1060", '29612,"Subscriber",1977,1'


def monthly(start=START, stop=STOP, duration=903, places=PLACES, rider=RIDER) -> list:
    return read_line(STREAM, MONTHLY, f'{duration},"{start}","{stop}",{places},{rider}')


def daily(start="2017-04-18 00:00:14", duration="285", rest="3365,3423,1,1999") -> list:
    return read_line(STREAM, DAILY, f"{start},{duration},{rest}")


def at_latitude(text: str) -> str:
    return PLACES.replace("40.7162469", text)


def utc(time_us: int) -> str:
    return f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time_us):%Y-%m-%d %H:%M:%S.%f}"


def column(reading: Record, name: str):
    return reading.values[STREAM.positions[name]]


def test_a_monthly_line_is_a_trip_with_places_bike_and_rider():
    [trip] = monthly()
    assert (utc(trip.start_us), utc(trip.end_us)) == ("2018-08-01 10:40:33.361000", "2018-08-01 10:55:37.106000")
    names = ("Exchange Place", "Jersey & 6th St")
    places = (40.7162469, -74.0334588, 40.72528910781132, -74.04557168483734)
    assert trip.values == (3183, 3270, 903, *names, *places, 29612, "subscriber", 1977, "male", None)


def test_a_daily_line_is_a_trip_that_ends_after_its_duration_of_weeks_too_where_a_bike_is_forgotten():
    for duration_s in (285, 4_603_308):
        [trip] = daily(duration=str(duration_s))
        assert (utc(trip.start_us), trip.end_us - trip.start_us) == ("2017-04-18 04:00:14.000000", duration_s * 10**6)
        assert trip.values == (3365, 3423, duration_s, *[None] * 7, "subscriber", 1999, None, None)


def test_what_is_unknown_is_null():
    assert [column(trip, "birth_year") for year in ("0", "") for trip in daily(rest=f"3365,3423,1,{year}")] == [
        None
    ] * 2
    riders = ('29612,"Customer",1969,0', '29612,"Customer",1969,2')
    assert [column(trip, "gender") for rider in riders for trip in monthly(rider=rider)] == [None, "female"]
    [trip] = daily(rest=",,1,1999")  # away from all stations
    assert (column(trip, "start_station_id"), column(trip, "end_station_id")) == (None, None)


def test_a_trip_is_known_when_the_bike_is_back():
    assert all(trip.arrival_us == trip.end_us for trip in monthly() + daily())


@pytest.mark.parametrize(
    ("start", "stop", "duration", "start_utc", "end_utc"),
    [
        # The stop is in the second run of the hour.
        ("01:50:00.0000", "01:10:00.0000", 1_200, "05:50", "06:10"),
        ("01:50:00.0000", "02:10:00.0000", 1_200, "06:50", "07:10"),  # the start is in the second run
        ("01:50:00.0000", "02:10:00.0000", 4_800, "05:50", "07:10"),  # the start is in the first run
        ("00:50:00.0000", "01:10:00.0000", 4_800, "04:50", "06:10"),
        ("01:10:00.0000", "01:20:00.0000", 600, "05:10", "05:20"),  # equally near twice: the first
        ("01:10:00.0000", "01:20:00.0000", 4_200, "05:10", "06:20"),
    ],
)
def test_of_a_repeated_time_the_reading_nearest_to_the_duration_is_taken(start, stop, duration, start_utc, end_utc):
    [trip] = monthly(f"2018-11-04 {start}", f"2018-11-04 {stop}", duration)
    assert (utc(trip.start_us)[11:16], utc(trip.end_us)[11:16]) == (start_utc, end_utc)
    assert column(trip, "clock_note") == "repeated hour"


def test_a_repeated_start_without_a_stop_is_the_first_and_a_missing_one_has_the_offset_before():
    for start, start_utc, note in (("2017-11-05 01:30:00", "05:30", "repeated hour"),
                                   ("2017-03-12 02:30:00", "07:30", "missing hour")):  # fmt: skip
        [trip] = daily(start)
        assert (utc(trip.start_us)[11:16], column(trip, "clock_note")) == (start_utc, note)


@pytest.mark.parametrize(
    ("parsed", "reason", "detail"),
    [
        (lambda: daily(rest="3365,3423,1"), "wrong column count", "5 fields; the layout has 6"),
        (lambda: read_line(STREAM, DAILY, ""), "wrong column count", "1 fields"),
        (lambda: daily(start="2017-04-18"), "unreadable", "'2017-04-18'"),
        (lambda: daily(duration="4.5"), "unreadable", "'4.5' is not a whole number"),
        (lambda: daily(rest="A,3423,1,1999"), "unreadable", "'A' is not a whole number"),
        (lambda: daily(rest="3365,3423,2,1999"), "unreadable", "'2' is none of '1', '0'"),
        (lambda: daily(duration="-1"), "out of range", "trip_duration_s is -1; allowed: 0 to 316224000"),
        (lambda: daily(duration="316224001"), "out of range", "trip_duration_s is 316224001"),
        (lambda: daily(rest=f"{'9' * 20},3423,1,1999"), "out of range", f"start_station_id is {'9' * 20}"),
        (lambda: monthly(places=at_latitude("91")), "out of range", "start_latitude_deg is 91.0"),
        (lambda: monthly(places=at_latitude("nan")), "unreadable", "'nan' is not a decimal number"),
        (lambda: monthly(places=at_latitude("1e999")), "out of range", "start_latitude_deg is inf"),
        (lambda: monthly(places=PLACES.replace("Jersey", 'Jersey"')), "unreadable", "expected after"),
        (lambda: monthly(stop="2018-08-01 06:40:33.3600"), "end before start", "1000 µs before the start"),
        (
            lambda: daily(start="2013-05-26 12:00:00"),
            "out of range",
            "arrival 2013-05-26 16:04:45 is outside the stream's days, 2013-05-27",
        ),
        (lambda: daily(start="9999-12-31 23:59:59"), "out of range", "outside the years 1 to 9999"),
    ],
)
def test_what_is_no_trip_is_refused_with_its_reason_value_and_limit(parsed, reason, detail):
    [refusal] = parsed()
    assert refusal.reason == reason
    assert detail in refusal.detail


def test_a_refused_trip_keeps_its_arrival_where_that_could_be_read():
    assert monthly(places=at_latitude("91"))[0].arrival_us == monthly()[0].arrival_us
    assert daily(start="2017-04-18")[0].arrival_us is None


def test_the_same_line_is_the_same_trip_and_another_line_is_not():
    line = "2017-04-18 00:00:14,285,3365,3423,1,1999"
    [trip] = read_line(STREAM, DAILY, line)
    same, other_text = identity_of(STREAM, DAILY, line, trip), identity_of(STREAM, DAILY, line + " ", trip)
    assert same == identity_of(STREAM, DAILY, str(line), trip)
    others = (identity_of(STREAM, MONTHLY, line, trip), identity_of(STREAM, DAILY, line, trip, 1))
    assert same not in (other_text, *others)


@pytest.mark.parametrize("layout", STREAM.layouts, ids=lambda layout: layout.name)
def test_a_layout_is_chosen_by_its_header_wherever_the_file_lies(layout):
    for first_line in (",".join(layout.header), ",".join(f'"{name}"' for name in layout.header)):
        assert choose_layout(STREAM, "bikes/citibike-jc/x.csv", first_line) is layout
        assert choose_layout(STREAM, "bikes/citibike-jc/x.csv", "\ufeff" + first_line) is layout


def test_real_and_generated_files_belong_to_the_stream_and_a_list_of_stations_is_skipped_with_a_message():
    for path, is_of_trips in {
        "bikes/citibike-jc/JC-201808-citibike-tripdata.csv.gz": True,
        "bikes/citibike-nyc-2017/trips-2017-04-18.csv.gz": True,
        "bikes/generated-jc/JC-201811-generated.csv.gz": True,
        "bikes/generated-nyc/trips-2018-11-04.csv": True,
        "bikes/citibike-nyc-2017/stations.csv.gz": False,
        "bikes/citibike-nyc-2017/stations.csv.gz.part": False,
        "bikes/citibike-nyc-2017/trips-2017-04-18.csv.gz.part": False,
        "cdr/citibike-jc/a.csv": False,
        "bikes/citibike-jc/deeper/a.csv": False,
        "a.csv": False,
    }.items():
        assert belongs(STREAM, path) == is_of_trips, path
        why = no_events(STREAM, path)
        assert "holds no trips" in why if path.endswith("stations.csv.gz") else why is None, path
    assert "holds no trips" in no_events(STREAM, "bikes/generated-nyc/stations.csv")
