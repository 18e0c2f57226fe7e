"""All window kinds can be written; a value that can't be meant is refused with what is allowed."""

from datetime import UTC, date, datetime, timedelta

import pytest

from schemas import query as language
from schemas.errors import WrongParameter
from schemas.query import Query, agg, rolling, session, sliding, spanning, tumbling

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
KINDS = {
    "tumbling": tumbling(DAY, origin=date(2018, 1, 1), zone="America/New_York"),
    "sliding": sliding(DAY, HOUR, origin=datetime(2018, 1, 1, tzinfo=UTC)),
    "spanning": spanning(HOUR, HOUR, longest=DAY),
    "rolling": rolling(HOUR),
    "session": session(HOUR),
    "count": language.count(100, 10, order="event_time"),
    "delta": language.delta("trip_duration_s", 100.0, 10.0),
    "slide_by_tuple": language.slide_by_tuple(HOUR, 10),
    "policy": language.policy("newest_of_each", column="bike_id"),
    "frame.threshold": language.frame.threshold("trip_duration_s", 600, 2, HOUR),
    "frame.delta": language.frame.delta("trip_duration_s", 60),
    "frame.aggregate": language.frame.aggregate("sum", "trip_duration_s", 3_600),
    "frame.boundary": language.frame.boundary("trip_duration_s", 60, 30),
}


def question(**changes) -> Query:
    """A query that is right but for the changes."""
    right = {
        "name": "q", "stream": "bikes", "key": ("start_station_id",), "window": tumbling(DAY),
        "aggregates": {"trips": agg("count")}, "lateness": HOUR, "allowed_lateness": DAY,
    }  # fmt: skip
    return Query(**{**right, **changes})


@pytest.mark.parametrize("kind", KINDS)
def test_every_window_kind_can_be_written(kind):
    window = question(window=KINDS[kind]).window
    assert (window.kind, window) == (kind, KINDS[kind])
    assert hash(window) == hash(KINDS[kind])


@pytest.mark.parametrize(
    ("parameter", "make"),
    [
        ("size", lambda: tumbling(timedelta(0))),
        ("size", lambda: rolling(3_600)),
        ("slide", lambda: sliding(DAY, -HOUR)),
        ("zone", lambda: tumbling(DAY, zone="America/New_Amsterdam")),
        ("slide", lambda: sliding(DAY, timedelta(hours=7), zone="America/New_York")),
        ("size", lambda: tumbling(timedelta(hours=36), zone="America/New_York")),
        ("origin", lambda: tumbling(DAY, origin=datetime(2018, 1, 1))),
        ("origin", lambda: tumbling(DAY, origin=datetime(2018, 1, 1, tzinfo=UTC), zone="America/New_York")),
        ("longest", lambda: spanning(HOUR, HOUR, longest=timedelta(0))),
        ("attribution", lambda: spanning(HOUR, HOUR, attribution="share")),
        ("step", lambda: language.count(10, 0)),
        ("size", lambda: language.count(True, 1)),
        ("order", lambda: language.count(10, 1, order="size")),
        ("threshold", lambda: language.delta("a", 1.0, 0.0)),
        ("width", lambda: language.frame.boundary("a", 0)),
        ("name", lambda: question(name="Bikes!")),
        ("key", lambda: question(key="start_station_id")),
        ("key", lambda: question(key=("revision",))),
        ("window", lambda: question(window=DAY)),
        ("emit", lambda: question(emit="later")),
        ("lateness", lambda: question(lateness=-HOUR)),
        ("allowed_lateness", lambda: question(allowed_lateness=0)),
        ("aggregates", lambda: question(aggregates={"start_station_id": agg("count")})),
        ("aggregates", lambda: question(aggregates={"late_events": agg("count")})),
        ("aggregates['trips']", lambda: question(aggregates={"trips": "count"})),
        ("where", lambda: question(where=(("user_type", "="),))),
        ("where", lambda: question(where=(("user_type", "=", "customer"),))),
        ("where", lambda: question(where=(("user_type", "in", "customer"),))),
    ],
)
def test_what_cannot_be_meant_is_refused_with_parameter_value_and_what_is_allowed(parameter, make):
    with pytest.raises(WrongParameter) as refused:
        make()
    assert refused.value.parameter == parameter
    assert str(refused.value) == f"{parameter} is {refused.value.value!r}; allowed: {refused.value.allowed}"


def test_a_query_knows_the_columns_that_it_reads_in_order_and_once():
    asked = question(
        aggregates={
            "a": agg("max", "bike_id"),
            "b": agg("sum", "trip_duration_s"),
            "c": agg("min", "bike_id"),
        },
        where=(("user_type", "==", "customer"), ("start", ">", 0)),
    )
    assert asked.value_columns == ("bike_id", "trip_duration_s")
    assert asked.read_columns == ("start_station_id", "bike_id", "trip_duration_s", "user_type")
