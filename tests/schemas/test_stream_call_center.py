"""call_center: calls with up to three parts, midnight and two clocks. The lines are made, in the form of real ones."""

import pytest

from schemas.registry import stream
from tests.support.lines import Event, assert_event, layouts_found, parsed, reasons

STREAM = stream("call_center")
HEADER = "\t".join(STREAM.layouts[0].header)
NO_QUEUE, NO_AGENT = "0:00:00 0:00:00 0", "0:00:00 0:00:00 0 NO_SERVER"


def line(menu: str, queue: str, rest: str, customer: int = 0) -> str:
    """A call on 1 February 1999, its fields separated by spaces in the tests."""
    return "\t".join(f"AA0999 11111 {customer} 0 PS 990201 {menu} {queue} {rest}".split(" "))


EVENTS: list[Event] = [
    ("calls", line("7:02:47 7:02:56 9", NO_QUEUE, "AGENT 7:02:55 7:05:41 166 NOA"),
     "1999-02-01 05:02:47", "1999-02-01 05:05:41", "1999-02-01 05:05:41",
     {"phone_line": "AA0999", "call": 11111, "customer": None, "outcome": "agent", "agent": "NOA", "agent_s": 166}),
    # It hangs up in the queue; the menu's clock is a minute behind.
    ("calls", line("9:48:14 9:47:17 -57", "9:47:17 9:50:11 174", f"HANG {NO_AGENT}", 7),
     "1999-02-01 07:48:14", "1999-02-01 07:50:11", "1999-02-01 07:50:11",
     {"customer": 7, "outcome": "hung up", "menu_s": -57, "time_note": "menu ends before it begins"}),
    # Midnight within the call; within the queue; and before the agent.
    ("calls", line("23:51:29 23:51:34 5", "23:51:34 23:52:21 47", "AGENT 23:52:20 0:00:55 515 GAL"),
     "1999-02-01 21:51:29", "1999-02-01 22:00:55", "1999-02-01 22:00:55", {"time_note": "ends on the next day"}),
    ("calls", line("23:59:19 23:59:19 0", "23:59:29 0:00:26 57", f"HANG {NO_AGENT}"),
     "1999-02-01 21:59:19", "1999-02-01 22:00:26", "1999-02-01 22:00:26", {"time_note": "ends on the next day"}),
    ("calls", line("23:59:55 23:59:55 0", NO_QUEUE, "AGENT 0:00:07 0:02:13 126 TAL"),
     "1999-02-01 21:59:55", "1999-02-01 22:02:13", "1999-02-01 22:02:13", {"time_note": "ends on the next day"}),
]  # fmt: skip


def test_the_layout_is_found_by_its_first_line():
    assert layouts_found(STREAM, [("cdr/anonymous-bank/calls_1999-02-01_to_14.tsv.gz", HEADER)]) == ["calls"]


@pytest.mark.parametrize("event", EVENTS, ids=range(len(EVENTS)))
def test_lines_are_the_calls_that_they_are_known_to_be(event):
    assert_event(STREAM, event)


def test_lines_that_are_no_calls_are_refused():
    good = EVENTS[0][1]
    lines = [good.replace("\tNOA", ""), good.replace("990201", "9902"), good.replace("AGENT", "ROBOT")]
    found = [reason for each in lines for reason in reasons(parsed(STREAM, "calls", each))]
    assert found == ["wrong column count", "unreadable", "unreadable"]
