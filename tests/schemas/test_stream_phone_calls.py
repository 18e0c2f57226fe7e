"""phone_calls: what its lines say, and durations that overflowed. The lines are made, in the form of real ones."""

import pytest

from schemas.registry import stream
from schemas.stream import Refusal
from tests.support.lines import Event, assert_event, layouts_found, parsed, reasons, utc

STREAM = stream("phone_calls")
HEADER = '"user_id","time_stamp","duration","dest_user_id_if_known","dest_phone_hash"'
START = "2009-01-02 10:04:28"
EVENTS: list[Event] = [
    ("calls", f'19,{START},15,,"1000000001"', START, "2009-01-02 10:04:43", "2009-01-02 10:04:43",
     {"caller": 19, "receiver": None, "number": "1000000001", "duration_s": 15, "duration_note": None}),
    ("calls", f'19,{START},0,"27","1000000001"', START, START, START, {"receiver": 27, "duration_s": 0}),
    ("calls", f",{START},1,,", START, "2009-01-02 10:04:29", "2009-01-02 10:04:29", {"caller": None, "number": None}),
    ("calls", f'21,{START},32767,,"1"', START, "2009-01-02 19:10:35", "2009-01-02 19:10:35",
     {"duration_note": "at the limit of 16 bits"}),
]  # fmt: skip


def test_the_layout_is_found_by_its_first_line():
    assert layouts_found(STREAM, [("cdr/social-evolution/Calls.csv.gz", HEADER)]) == ["calls"]


@pytest.mark.parametrize("event", EVENTS, ids=range(len(EVENTS)))
def test_lines_are_the_calls_that_they_are_known_to_be(event):
    assert_event(STREAM, event)


def test_a_negative_duration_is_refused_with_the_calls_start_as_its_arrival():
    [refusal] = parsed(STREAM, "calls", f'56,{START},-3540,,"1000000002"')
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, str(utc(refusal.arrival_us))) == ("negative duration", f"{START}+00:00")


@pytest.mark.parametrize(("line", "reason"), [
    (f"19,{START.replace('2009', '290000')},15,,1", "unreadable"), ("19,2009-07-01 00:00:00,15,,1", "out of range"),
    (f"19,{START},15", "wrong column count"), (f"19,{START},32768,,1", "out of range"),
    (f"19,{START},1.5,,1", "unreadable"), ("19,yesterday,15,,1", "unreadable"),
])  # fmt: skip
def test_other_lines_are_refused(line, reason):
    assert reasons(parsed(STREAM, "calls", line)) == [reason]
