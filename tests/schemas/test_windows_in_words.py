"""Windows as people read them."""

from datetime import timedelta

import pytest

from windrow.schemas.query import (
    count,
    delta,
    frame,
    month,
    policy,
    rolling,
    session,
    slide_by_tuple,
    sliding,
    spanning,
    tumbling,
    week,
)
from windrow.schemas.windows import every_kind

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
SAID = [
    (tumbling(HOUR), "hours, one after the other"),
    (tumbling(2 * HOUR), "windows of 2 hours, one after the other"),
    (tumbling(DAY, zone="America/New_York"), "days in America/New_York, one after the other"),
    (sliding(HOUR, 5 * MINUTE), "hours that slide by 5 minutes"),
    (spanning(HOUR, HOUR), "hours, one after the other; an event is in each that it meets"),
    (week("Europe/Berlin"), "calendar weeks in Europe/Berlin"),
    (month(), "calendar months in UTC"),
    (month(3), "windows of 3 calendar months in UTC"),
    (rolling(HOUR), "the hour up to each event"),
    (rolling(10 * MINUTE, closed="left"), "the 10 minutes before each event"),
    (count(1_000, 100), "the last 1,000 events by arrival, every 100"),
    (slide_by_tuple(HOUR, 10), "the last hour, every 10 events"),
    (delta("odometer_km", 5, 1), "the last 5 of odometer_km, each time that it has moved by 1"),
    (session(30 * MINUTE), "runs of events less than 30 minutes apart"),
    (session("pause", SECOND), "runs of events, each of which holds its run open for pause times 1 second"),
    (frame.threshold("cpu", 80, 2), "stretches with cpu of at least 80, of 2 events or more"),
    (frame.threshold("cpu", 80, 1, MINUTE), "stretches with cpu of at least 80, for 1 minute or longer"),
    (frame.delta("bytes", 5), "stretches in which bytes stays within 5 of its first value"),
    (frame.aggregate("sum", "bytes", 1e6), "runs of events until sum(bytes) reaches 1,000,000"),
    (frame.boundary("speed", 10, 3), "stretches in which speed stays between two multiples of 10 from 3 on"),
    (policy("until", trips=20), "the events that the policy 'until' keeps, at each event"),
]  # fmt: skip


@pytest.mark.parametrize(("window", "words"), SAID, ids=[words for _, words in SAID])
def test_windows_are_said_in_words(window, words):
    assert window.in_words == words


def test_every_kind_of_ours_is_said():
    ours = {kind for kind in every_kind() if kind.__module__.startswith("windrow.schemas.windows.")}
    assert {type(window) for window, _ in SAID} == ours
