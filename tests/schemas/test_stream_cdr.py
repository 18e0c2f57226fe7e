"""cdr: what its lines say, ragged ones too, and what is refused. The lines are made, in the form of real ones."""

import pytest

from schemas.registry import stream
from schemas.stream import MOST
from tests.support.lines import Event, assert_event, layouts_found, parsed, reasons

STREAM = stream("cdr")
WHO = "0123456789AB,42000,3500,3gnet,013468,10.0.0.1,10.0.0.2"
FROM_TO = "2015-08-02 22:10:37.500000,2015-08-02 22:10:38.250000"
LINE = f"{WHO},{FROM_TO},0,845,706,1,,,,80,200,,,"
FILES = [
    ("cdr/isp-xdr/beijing/BY_USER_20_XJL_20150803.csv.gz", LINE),
    ("cdr/isp-xdr/guangzhou/BY_USER_20_XJL_20150803.csv.gz", LINE),
    ("cdr/isp-xdr/mangled/beijing_BY_USER_20_XJL_20150801.csv.gz", f"{WHO},08:31.0,08:31.2,0,472,1171,1,,,,53,0,,,"),
]
SECONDS = ("2015-08-02 14:10:37.500000", "2015-08-02 14:10:38.250000", "2015-08-02 14:10:38.250000")
EVENTS: list[Event] = [
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
REFUSED = [
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


def test_files_are_known_by_their_path_since_both_cities_use_the_same_names():
    assert layouts_found(STREAM, FILES) == ["sessions"] * 3


@pytest.mark.parametrize("event", EVENTS, ids=range(len(EVENTS)))
def test_lines_are_the_sessions_that_they_are_known_to_be(event):
    assert_event(STREAM, event)


@pytest.mark.parametrize(("line", "reason"), REFUSED)
def test_lines_that_are_no_sessions_are_refused_for_the_known_reason(line, reason):
    assert reasons(parsed(STREAM, "sessions", line)) == [reason]


def test_equal_lines_are_two_sessions():
    assert {layout.identity for layout in STREAM.layouts} == {None}
