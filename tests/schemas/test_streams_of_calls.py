"""cdr, call_center and phone_calls: what their lines say, ragged ones too, calls over midnight, durations that
overflowed, and what is refused. The lines are made, in the form of real ones."""

import pytest

from windrow.schemas.registry import stream
from windrow.schemas.stream import MOST, Refusal
from windrow.testing.lines import Event, assert_event, layouts_found, parsed, reasons, utc

WHO = "0123456789AB,42000,3500,3gnet,013468,10.0.0.1,10.0.0.2"
FROM_TO = "2015-08-02 22:10:37.500000,2015-08-02 22:10:38.250000"
LINE = f"{WHO},{FROM_TO},0,845,706,1,,,,80,200,,,"
FILES = [
    ("cdr/isp-xdr/beijing/BY_USER_20_XJL_20150803.csv.gz", LINE),
    ("cdr/isp-xdr/guangzhou/BY_USER_20_XJL_20150803.csv.gz", LINE),
    ("cdr/isp-xdr/mangled/beijing_BY_USER_20_XJL_20150801.csv.gz", f"{WHO},08:31.0,08:31.2,0,472,1171,1,,,,53,0,,,"),
]
SECONDS = ("2015-08-02 14:10:37.500000", "2015-08-02 14:10:38.250000", "2015-08-02 14:10:38.250000")
SESSIONS: list[Event] = [
    ("sessions", LINE, *SECONDS, {
        "subscriber": "0123456789AB", "location_area": 42000, "cell": 3500, "length_s": 0.75,
        "reported_length_s": 0, "length_note": None, "uplink_bytes": 845, "downlink_bytes": 706, "whole_bytes": 1551,
        "radio_type": 1, "destination_port": 80, "http_status": 200}),
    ("sessions", LINE.replace(",845,706,", f",{MOST},{MOST},"), *SECONDS, {"whole_bytes": 2 * MOST}),
    ("sessions", LINE.replace(",42000,3500,", f",65535,{2**28 - 1},"), *SECONDS, {"cell": 2**28 - 1}),
    ("sessions", f"{LINE},,,,,,", *SECONDS, {"cell": 3500, "http_status": 200}),
    ("sessions", f'{LINE},"{{"ad":"7"}}",,', *SECONDS, {"cell": 3500}),  # a URL of JSON, without quotes around it
    ("sessions", LINE.replace(",0,845", ",3,845"), *SECONDS, {"length_note": "reported length disagrees"}),
    ("sessions", LINE.replace(",0,845", ",1,845"), *SECONDS, {"length_note": None}),
    ("sessions", LINE.replace("38.250000", "39.000000"), SECONDS[0], *2 * ("2015-08-02 14:10:39.000000",),
     {"length_s": 1.5, "length_note": "reported length disagrees"}),
    ("sessions", LINE.replace("38.250000", "38.999999"), SECONDS[0], *2 * ("2015-08-02 14:10:38.999999",),
     {"length_s": 1.499999, "length_note": None}),
    ("sessions", LINE.replace("80,200", ",0"), *SECONDS, {"destination_port": None, "http_status": None}),
    # A session of length zero is a point; one that began on the day before is as legal as any.
    ("sessions", LINE.replace("38.250000", "37.500000"), SECONDS[0], SECONDS[0], SECONDS[0], {"length_s": 0.0}),
    ("sessions", LINE.replace("2015-08-02 22:10:37", "2015-08-01 22:10:37"), "2015-08-01 14:10:37.500000", *SECONDS[1:],
     {"length_s": 86_400.75, "length_note": "reported length disagrees"}),
]  # fmt: skip


NO_QUEUE, NO_AGENT = "0:00:00 0:00:00 0", "0:00:00 0:00:00 0 NO_SERVER"


def line(menu: str, queue: str, rest: str, customer: int = 0) -> str:
    """A call on 1 February 1999, its fields separated by spaces in the tests."""
    return "\t".join(f"AA0999 11111 {customer} 0 PS 990201 {menu} {queue} {rest}".split(" "))


BANK_CALLS: list[Event] = [
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
START = "2009-01-02 10:04:28"
PHONE_CALLS: list[Event] = [
    ("calls", f'19,{START},15,,"1000000001"', START, "2009-01-02 10:04:43", "2009-01-02 10:04:43",
     {"caller": 19, "receiver": None, "number": "1000000001", "duration_s": 15, "duration_note": None}),
    ("calls", f'19,{START},0,"27","1000000001"', START, START, START, {"receiver": 27, "duration_s": 0}),
    ("calls", f",{START},1,,", START, "2009-01-02 10:04:29", "2009-01-02 10:04:29", {"caller": None, "number": None}),
    ("calls", f'21,{START},32767,,"1"', START, "2009-01-02 19:10:35", "2009-01-02 19:10:35",
     {"duration_note": "at the limit of 16 bits"}),
]  # fmt: skip
EVENTS = {"cdr": SESSIONS, "call_center": BANK_CALLS, "phone_calls": PHONE_CALLS}
CALL = BANK_CALLS[0][1]
REFUSED_SESSIONS = [
    (FILES[2][1], "no date"),
    (LINE.removesuffix(","), "wrong column count"),
    (LINE.replace("2015-08-02", "2015-13-02"), "unreadable"),
    (LINE.replace(",845,", ",-845,"), "out of range"),
    (LINE.replace(",845,", ",9200000000000000000,"), "out of range"),
    (LINE.replace(",706,", f",{MOST + 1},"), "out of range"),
    (LINE.replace(",42000,", ",65536,"), "out of range"),
    (LINE.replace(",3500,", f",{2**28},"), "out of range"),
    (LINE.replace(",0,845", ",-1,845"), "out of range"),
    (LINE.replace(",80,200", ",80,99"), "out of range"),
    (LINE.replace("38.250000", "36.250000"), "end before start"),
    (LINE.replace(",1,,,,", ",3,,,,"), "unreadable"),
]
REFUSED = [
    *(("cdr", *each) for each in REFUSED_SESSIONS),
    *(("call_center", *each) for each in (
        (CALL.replace("\tNOA", ""), "wrong column count"), (CALL.replace("990201", "9902"), "unreadable"),
        (CALL.replace("AGENT", "ROBOT"), "unreadable"))),
    *(("phone_calls", *each) for each in (
        (f"19,{START.replace('2009', '290000')},15,,1", "unreadable"), ("19,2009-07-01 00:00:00,15,,1", "out of range"),
        (f"19,{START},15", "wrong column count"), (f"19,{START},32768,,1", "out of range"),
        (f"19,{START},1.5,,1", "unreadable"), ("19,yesterday,15,,1", "unreadable"))),
]  # fmt: skip


def test_files_are_known_by_their_path_since_both_cities_use_the_same_names():
    assert layouts_found(stream("cdr"), FILES) == ["sessions"] * 3


def test_real_files_of_calls_are_known_by_path_and_first_line():
    header = "\t".join(stream("call_center").layouts[0].header)
    of_bank = [("cdr/anonymous-bank/calls_1999-02-01_to_14.tsv.gz", header)]
    of_phones = [("cdr/social-evolution/Calls.csv.gz",
                  '"user_id","time_stamp","duration","dest_user_id_if_known","dest_phone_hash"')]  # fmt: skip
    assert layouts_found(stream("call_center"), of_bank) == layouts_found(stream("phone_calls"), of_phones) == ["calls"]


@pytest.mark.parametrize(
    ("name", "event"),
    [
        pytest.param(name, event, id=f"{name}-{number}")
        for name, events in EVENTS.items()
        for number, event in enumerate(events)
    ],
)
def test_lines_are_the_events_that_they_are_known_to_be(name, event):
    assert_event(stream(name), event)


@pytest.mark.parametrize(("name", "line", "reason"), REFUSED)
def test_lines_that_are_no_events_are_refused_for_the_known_reason(name, line, reason):
    assert reasons(parsed(stream(name), EVENTS[name][0][0], line)) == [reason]


def test_a_negative_duration_is_refused_with_the_calls_start_as_its_arrival():
    [refusal] = parsed(stream("phone_calls"), "calls", f'56,{START},-3540,,"1000000002"')
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, str(utc(refusal.arrival_us))) == ("negative duration", f"{START}+00:00")


def test_equal_lines_are_two_sessions():
    assert {layout.identity for layout in stream("cdr").layouts} == {None}


def test_a_data_session_is_reported_as_ten_years_long_at_most():
    for reported_s, reason in ((316_224_000, None), (316_224_001, "out of range")):
        line = LINE.replace(",0,845", f",{reported_s},845")
        assert reasons(parsed(stream("cdr"), "sessions", line)) == [reason]
