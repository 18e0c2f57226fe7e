"""telemetry: four layouts that come down to records, and the delays that make arrivals."""

import pytest

from windrow.schemas.parsing import identity_of, no_events
from windrow.schemas.registry import stream
from windrow.schemas.stream import MOST, Place, Record
from windrow.schemas.streams.telemetry import MESSAGE_COLUMNS, MESSAGES, POD_METRICS, PODS, SPANS, read_delays
from windrow.testing.lines import (
    Event,
    assert_event,
    assert_reading,
    layouts_found,
    moment,
    parsed,
    reasons,
    utc,
    values,
)

STREAM = stream("telemetry")
POD = "ts-auth-service-7f8d7d756d-k7b9j"
POD_LINE = f"2023-01-29 08:41:09.470514006 +0000 UTC m=+0.546675867,1674981669,{POD}," + ",".join(
    "NaN" if "Server" in name else "1.5" for name in POD_METRICS
)
MESSAGE = dict.fromkeys(MESSAGE_COLUMNS, "NA") | {
    "S.Message.received.time.ms": "1415624021690",
    "S.Http.Content.Length": "264",
    "S.Device.ID": '"dev_15"',
    "S.Message.ID": "0",
    "S.Session.Name": '"d-1"',
    "S.Client.Detection.Time": "1415624019862",
    "A.Duration.round.trip": "1848",
}
MESSAGE_LINE = ";".join(MESSAGE.values())
SPAN_LINE = f"b0103bb0161ad7fa,520b067330e3ede5,root,{POD},/*,1674981768697000000,1674981769015316530,318316"
DELAYED = Place("telemetry/nab/realTraffic/speed_7578.csv.gz", 3, {"delays": (60_000, 90_500)})

FILES = [
    (f"telemetry/k8s-metrics/2023-01-29/{POD}_metric.csv.gz", ",".join(PODS.header)),
    ("telemetry/ooo-umts/d-1.csv.gz", ";".join(f'"{name}"' for name in MESSAGE_COLUMNS)),
    (DELAYED.path, "timestamp,value"),
    ("telemetry/k8s-spans/2023-01-29/08_43_trace.csv.gz", ",".join(SPANS.header)),
]


def test_every_layout_is_found_by_a_real_path_and_first_line():
    assert layouts_found(STREAM, FILES) == ["pods", "messages", "series", "spans"]
    assert "delays" in no_events(STREAM, "telemetry/delays/ty.txt.gz")


def test_a_pods_line_is_19_readings_of_which_the_empty_ones_are_refused():
    found, (second, arrived) = parsed(STREAM, "pods", POD_LINE), ("2023-01-29 08:41:09", "2023-01-29 08:41:09.470514")
    assert len(found) == 19 and reasons(found).count("no value") == 3
    assert_reading(STREAM, found[0], (second, second, arrived), {
        "source": POD, "service": "ts-auth-service", "metric": "cpu_usage", "value": 1.5, "unit": "millicores",
        "message": None, "made_arrival": False})  # fmt: skip
    refused = next(each for each in found if not isinstance(each, Record))
    assert (refused.detail, utc(refused.arrival_us)) == ("server_latency_p90 is NaN", moment(arrived))


def test_the_pod_with_the_broken_clock_is_stopped():
    ahead = POD_LINE.replace("1674981669", str(1_674_981_669 + 200_000_000))
    assert set(reasons(parsed(STREAM, "pods", ahead))) == {"too far ahead", "no value"}


def test_a_message_is_two_readings_named_by_session_device_and_number():
    sent, received = "2014-11-10 12:53:39.862", "2014-11-10 12:53:41.690"
    wanted = (("content_length", 264.0, "bytes"), ("round_trip", 1848.0, "ms"))
    found = parsed(STREAM, "messages", MESSAGE_LINE)
    for reading, of_reading in zip(found, wanted, strict=True):
        columns = dict(zip(("metric", "value", "unit", "message"), (*of_reading, "d-1/dev_15/0"), strict=True))
        assert_reading(STREAM, reading, (sent, sent, received), columns)
    # The three sessions count their devices' messages from 0 each: they are not each other's duplicates.
    other = parsed(STREAM, "messages", MESSAGE_LINE.replace("d-1", "d-2"))
    identities = {identity_of(STREAM, MESSAGES, MESSAGE_LINE, each) for each in (*found, *other)}
    assert len(identities) == 4


EVENTS: list[Event] = [
    ("spans", SPAN_LINE, "2023-01-29 08:42:48.697", "2023-01-29 08:42:49.015316", "2023-01-29 08:42:49.015316", {
        "source": POD, "service": "ts-auth-service", "metric": "request_duration", "value": 318316.0, "unit": "µs",
        "operation": "/*", "message": "b0103bb0161ad7fa/520b067330e3ede5", "made_arrival": False}),
    ("series", "2015-09-08 11:39:00,73", "2015-09-08 11:39:00", "2015-09-08 11:39:00", "2015-09-08 11:40:30.500", {
        "source": "realTraffic/7578", "service": "realTraffic/7578", "metric": "speed", "value": 73.0, "unit": None,
        "made_arrival": True}),
]  # fmt: skip


@pytest.mark.parametrize("event", EVENTS, ids=["spans", "series"])
def test_lines_are_the_events_that_they_are_known_to_be(event):
    assert_event(STREAM, event, DELAYED)


def test_a_series_takes_the_delays_in_the_order_of_its_lines_and_from_the_start_again_and_without_any_has_no_arrival():
    for line, arrival in ((2, "11:01:00"), (3, "11:01:30.5"), (4, "11:01:00")):
        [reading] = parsed(STREAM, "series", "2015-09-08 11:00:00,1", DELAYED._replace(line=line))
        assert utc(reading.arrival_us) == moment(f"2015-09-08 {arrival}")
    assert reasons(parsed(STREAM, "series", "2015-09-08 11:39:00,73")) == ["no arrival"]


def test_delays_are_whole_numbers():
    assert read_delays(["85180", "2002"]) == (85_180, 2_002)
    with pytest.raises(ValueError, match="'1.5' is not a whole number"):
        read_delays(["1.5"])


YEAR_290000_MS = (720 * 146_097 + 10_957) * 86_400_000  # 720 times 400 years and the 30 from 1970 to 2000
REFUSED = [
    ("series", "2015-09-08 11:39:00,", "no value"),
    ("series", "2015-09-08 11:39:00,9.2e18", "out of range"),
    ("series", "2015-09-08 11:39:00,-1.1e15", "out of range"),
    ("series", "2011-06-30 23:58:00,1", "out of range"),
    ("spans", SPAN_LINE.replace("1674981769015316530", f"{YEAR_290000_MS}000000"), "out of range"),
    ("spans", SPAN_LINE.replace(",318316", ",1e16"), "out of range"),
    ("pods", POD_LINE.replace("+0000 UTC", "UTC"), "unreadable"),
    ("pods", POD_LINE + ",1", "wrong column count"),
    ("messages", MESSAGE_LINE.replace("1415624019862", "soon"), "unreadable"),
    ("messages", MESSAGE_LINE.replace("1415624019862", str(YEAR_290000_MS)), "out of range"),
    ("messages", MESSAGE_LINE.replace("1415624021690", str(YEAR_290000_MS)), "out of range"),
    ("spans", SPAN_LINE.replace("1674981768697000000", "1674981769697000000"), "end before start"),
    ("spans", SPAN_LINE.replace("1674981768697000000", "-1"), "unreadable"),
]


@pytest.mark.parametrize(("layout", "line", "reason"), REFUSED)
def test_lines_that_are_no_readings_are_refused_for_the_known_reason(layout, line, reason):
    of_both = layout == "messages" and str(YEAR_290000_MS) in line  # its readings
    assert reasons(parsed(STREAM, layout, line, DELAYED)) == [reason] * (1 + of_both)


@pytest.mark.parametrize("time", ["2011-07-01 00:00:01", "2013-07-04 00:00:00", "2015-09-17 17:10:00"])
@pytest.mark.parametrize("value", [MOST, -MOST, 0, -40.5])
def test_readings_of_the_whole_collection_are_readings(time, value):
    [record] = parsed(STREAM, "series", f"{time},{value}", DELAYED)
    assert isinstance(record, Record) and values(STREAM, record, "value")["value"] == value


def test_what_has_a_unit_is_not_below_zero():
    first, second, *_ = parsed(STREAM, "pods", POD_LINE.replace(",1.5", ",-1.5", 1))
    assert first.reason == "out of range" and first.detail == "cpu_usage is -1.5 millicores; there is no less than 0"
    assert isinstance(second, Record)


@pytest.mark.parametrize("received_ms", ["9999999999999999999", "999999999999999"])
def test_a_refused_reading_has_no_arrival_that_a_table_can_not_hold(received_ms):
    line = MESSAGE_LINE.replace("1415624021690", received_ms).replace(";264;", ";NA;").replace(";1848;", ";NA;")
    found = parsed(STREAM, "messages", line)
    assert [(each.reason, each.arrival_us) for each in found] == [("no value", None)] * 2
