"""Measurements of devices, servers, machines, roads and pods: source, metric, device time, arrival, value, unit.

Every layout comes down to the same few columns, so that one query serves them all; a line may hold many records. A
request that a pod served is a record too, of its duration: it lasts from its start to its end.
"""

import re
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache

from windrow.schemas.fields import decimal_number, whole_number
from windrow.schemas.instants import us_of_ns
from windrow.schemas.local_time import SECOND_US, LocalClock
from windrow.schemas.stream import MOST, Column, Layout, Place, Record, Refusal, SideInput, Stream, packed_or_not

CLOCK, POD_CLOCK = LocalClock("UTC"), LocalClock("UTC", round="down")
MS_US = 1_000
REQUEST_METRIC = "request_duration"
POD_METRICS = {
    "CpuUsage(m)": ("cpu_usage", "millicores"),
    "CpuUsageRate(%)": ("cpu_usage_rate", "%"),
    "MemoryUsage(Mi)": ("memory_usage", "MiB"),
    "MemoryUsageRate(%)": ("memory_usage_rate", "%"),
    "SyscallRead": ("read_calls", "calls"),
    "SyscallWrite": ("write_calls", "calls"),
    "NetworkReceiveBytes": ("network_received", "bytes"),
    "NetworkTransmitBytes": ("network_sent", "bytes"),
    "PodClientLatencyP90(s)": ("client_latency_p90", "s"),
    "PodServerLatencyP90(s)": ("server_latency_p90", "s"),
    "PodClientLatencyP95(s)": ("client_latency_p95", "s"),
    "PodServerLatencyP95(s)": ("server_latency_p95", "s"),
    "PodClientLatencyP99(s)": ("client_latency_p99", "s"),
    "PodServerLatencyP99(s)": ("server_latency_p99", "s"),
    "PodWorkload(Ops)": ("workload", "requests/s"),
    "PodSuccessRate(%)": ("success_rate", "%"),
    "NodeCpuUsageRate(%)": ("node_cpu_usage_rate", "%"),
    "NodeMemoryUsageRate(%)": ("node_memory_usage_rate", "%"),
    "NodeNetworkReceiveBytes": ("node_network_received", "bytes"),
}
MESSAGE_COLUMNS = (
    "S.Message.received.time", "S.Message.received.time.ms", "S.Http.Content.Length", "S.Device.ID", "S.Message.ID",
    "S.Session.Name", "S.Client.Detection.Time", "S.Client.Network.Type", "S.Client.IP",
    "S.Client.Last.Clock.Synch.Time", "C.Device.ID", "C.Message.ID", "C.Send.Time", "C.Arrival.Time", "C.NTP.offset",
    "C.Server.Message.received.Time", "C.Server.Message.Processed.Time", "C.Server.Pocessing.duration.ns",
    "A.Duration.send", "A.Duration.receive", "A.Duration.round.trip", "A.ooo.Event.Client.Sequence",
    "A.ooo.Event.Sent.Time", "A.Time.to.previous.Client.sequence.detection.time",
    "A.Time.to.previous.Client.sequence.send.time", "A.Time.to.previous.Client.sequence.receive.time",
    "A.Time.to.previous.Server.Client.sequence.receive.time",
)  # fmt: skip
_POD_TIME = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(\.\d{1,9})? \+0000 UTC( m=[+-]\d+\.\d+)?", re.ASCII)
_NO_VALUE, _NO_ARRIVAL = "no value", "no arrival"
_EMPTY = ("", "NaN", "NA")


def parse_pod(fields: list[str], _: Place) -> list[Record | Refusal]:
    """A line is 19 records, one for each column after `PodName`; the file's name is not used.

    - source is `PodName`; service is that name without its last two parts: `adservice` of `adservice-5f6585d649-fnmft`
    - metric and unit follow from the column, as in the example
    - event time is `TimeStamp`, s since the epoch; arrival is `Time`, when the collector read it, cut to µs
    """
    read_at, sampled_s, pod, *values = fields
    arrival_us, start_us = _pod_time_us(read_at), whole_number(sampled_s) * SECOND_US
    return [_reading((start_us, start_us, arrival_us), (pod, _service(pod), *metric), value)
            for metric, value in zip(POD_METRICS.values(), values, strict=True)]  # fmt: skip


def parse_message(fields: list[str], _: Place) -> list[Record | Refusal]:
    """A line is two records of one message; the file's name is not used.

    - source and service are `S.Device.ID`
    - metric content_length is `S.Http.Content.Length`, bytes; round_trip is `A.Duration.round.trip`, ms
    - event time is `S.Client.Detection.Time`, arrival `S.Message.received.time.ms`, both ms since the epoch
    - message is `S.Session.Name`/`S.Device.ID`/`S.Message.ID`: each session counts its devices' messages from 0 again
    """
    detected_us, received_us = (whole_number(fields[place]) * MS_US for place in (6, 1))
    device, times = fields[3], (detected_us, detected_us, received_us)
    message = f"{fields[5]}/{device}/{fields[4]}"
    return [_reading(times, (device, device, *metric), value, message) for metric, value in (
        (("content_length", "bytes"), fields[2]), (("round_trip", "ms"), fields[20]))]  # fmt: skip


def parse_series(fields: list[str], place: Place) -> list[Record | Refusal]:
    """A line is one record, of the column `value`; the file's name up to its first dot gives metric and source.

    - `FOLDER/METRIC_SOURCE.csv.gz`, split at the last `_`, where the part behind it has a digit: `speed_7578` of the
      folder `realTraffic` has metric speed and source realTraffic/7578
    - any other name, such as `art_daily_jumpsup` or `exchange-2_cpc_results`: metric value, source FOLDER/NAME
    - service is the source; there is no unit
    - event time is `timestamp`, as it stands, in UTC; arrival is that + a measured delay: line n of the file, counted
      from 0 without the header, gets delay n of those that have landed, and the first again after the last
    """
    stamp, value = fields
    start_us = CLOCK.read(stamp)[0]
    delays_ms = place.side_inputs.get("delays")
    if not delays_ms:
        return [Refusal(_NO_ARRIVAL, "the arrival is made from the measured delays, which have not landed")]
    arrival_us = start_us + delays_ms[(place.line - 2) % len(delays_ms)] * MS_US
    source, metric = _series(place.path)
    return [_reading((start_us, start_us, arrival_us), (source, source, metric, None), value, made=True)]


def parse_span(fields: list[str], _: Place) -> list[Record]:
    """A line is one record, the length of a request; the file's name is not used.

    - source is `PodName`, service that without its last two parts, operation `OperationName`
    - metric is request_duration, its value `Duration`, µs
    - event time is `StartTimeUnixNano`, end and arrival are `EndTimeUnixNano`, cut to µs
    - message is `TraceID`/`SpanID`
    """
    trace, span, _parent, pod, operation, started, ended, length = fields
    start_us, end_us = _us_of_ns(started), _us_of_ns(ended)
    values = (pod, _service(pod), REQUEST_METRIC, decimal_number(length), "µs", operation or None, f"{trace}/{span}",
              False)  # fmt: skip
    return [Record(start_us, end_us, end_us, values)]


def read_delays(lines: Iterable[str]) -> tuple[int, ...]:
    """One delay in ms a line."""
    return tuple(map(whole_number, lines))


def _reading(times: tuple[int, int, int], of: tuple, text: str, message: str | None = None,
             made: bool = False) -> Record | Refusal:  # fmt: skip
    source, service, metric, unit = of
    if text in _EMPTY:
        return Refusal(_NO_VALUE, f"{metric} is {text or 'empty'}", times[2])
    value = decimal_number(text)
    if unit and value < 0:
        return Refusal("out of range", f"{metric} is {text} {unit}; there is no less than 0", times[2])
    return Record(*times, (source, service, metric, value, unit, None, message, made))


@lru_cache(maxsize=1 << 12)
def _pod_time_us(text: str) -> int:
    found = _POD_TIME.fullmatch(text)
    if not found:
        raise ValueError(f"{text[:60]!r} is not a time such as 2022-08-22 03:51:19.470514006 +0000 UTC")
    return POD_CLOCK.read(found[1] + (found[2] or ""))[0]


def _us_of_ns(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 30):
        raise ValueError(f"{text[:60]!r} is not a whole number of nanoseconds")
    return us_of_ns(int(text), round="down")


@lru_cache(maxsize=1 << 12)
def _service(pod: str) -> str:
    """`adservice-5f6585d649-fnmft` is a pod of `adservice`."""
    return pod.rsplit("-", 2)[0]


@lru_cache(maxsize=1 << 12)
def _series(path: str) -> tuple[str, str]:
    """A file's name is source and metric: `realTraffic/speed_7578.csv.gz` is the speed of realTraffic/7578."""
    folder, name = path.split("/")[-2:]
    stem = name.split(".")[0]
    metric, _, source = stem.rpartition("_")
    return (f"{folder}/{source}", metric) if metric and any(map(str.isdigit, source)) else (f"{folder}/{stem}", "value")


def _paths(*folders: str) -> tuple[str, ...]:
    return packed_or_not(*(f"telemetry/{folder}/*" for folder in folders))


# Made, in the form of real ones.
POD_EXAMPLE = (
    Place("telemetry/k8s-metrics/2022-08-22/adservice-5f6585d649-fnmft_metric.csv.gz", 2),
    "2022-08-22 03:51:19.470514006 +0000 UTC m=+0.5,1661140278,adservice-5f6585d649-fnmft,12,4.5,130,26,310,280,5120,"
    "9300,0.12,0.08,0.15,0.1,0.2,0.13,25,100,31,44,1000000",
)
MESSAGE_EXAMPLE = (
    Place("telemetry/ooo-umts/d-1.csv.gz", 2),
    "NA;1415624021690;264;dev_15;0;d-1;1415624019862" + ";NA" * 13 + ";1848" + ";NA" * 6,
)
SERIES_EXAMPLE = (
    Place("telemetry/nab/realTraffic/speed_7578.csv.gz", 3, {"delays": (60_000, 90_500)}),
    "2015-09-08 11:44:00,73",
)
SPAN_EXAMPLE = (
    Place("telemetry/k8s-spans/2022-08-22/08_43_trace.csv.gz", 2),
    "b0103bb0161ad7fa,520b067330e3ede5,root,adservice-5f6585d649-fnmft,/GetAds,1661140278697000000,"
    "1661140279015316530,318316",
)
PODS = Layout("pods", _paths("k8s-metrics/*", "generated-pods"), ("Time", "TimeStamp", "PodName", *POD_METRICS),
              parse_pod, identity="line", fields=22, example=POD_EXAMPLE)  # fmt: skip
MESSAGES = Layout("messages", _paths("ooo-umts", "generated-messages"), MESSAGE_COLUMNS, parse_message,
                  identity=("message", "metric"), delimiter=";", fields=27, example=MESSAGE_EXAMPLE)  # fmt: skip
SERIES = Layout("series", _paths("nab/*", "generated-series/*"), ("timestamp", "value"), parse_series, identity=None,
                fields=2, example=SERIES_EXAMPLE)  # fmt: skip
SPANS = Layout("spans", _paths("k8s-spans/*", "generated-spans"), (
    "TraceID", "SpanID", "ParentID", "PodName", "OperationName", "StartTimeUnixNano", "EndTimeUnixNano", "Duration",
), parse_span, identity=("message",), fields=8, example=SPAN_EXAMPLE)  # fmt: skip
COLUMNS = (
    Column("source", "string", "what was measured: a pod, a device, a server, a road sensor", nullable=False),
    Column("service", "string", "the service that a pod belongs to; for all else the source", nullable=False),
    Column("metric", "string", "name of the measured quantity", nullable=False),
    Column("value", "float64", "the reading, in the unit beside it", low=-MOST, high=MOST, nullable=False),
    Column("unit", "string", "unit of the value; null if the source doesn't state one"),
    Column("operation", "string", "what a request asked for; null for all other readings"),
    Column("message", "string", "names the message that brought the reading, where messages have names: one that is "
           "delivered twice counts once"),
    Column("made_arrival", "bool", "true where the source has no arrival times: the arrival is the event time + the "
           "next of the measured delays, in the order of the file", nullable=False),
)  # fmt: skip

STREAM = Stream(
    name="telemetry",
    title="Readings of devices, servers, machines, roads and pods",
    source="four public data sets: metrics and request spans of Kubernetes pods (Nezha), device messages over a mobile "
    "network (ooo-dataset), and series of the Numenta benchmark (NAB)",
    layouts=(PODS, MESSAGES, SERIES, SPANS),
    columns=COLUMNS,
    key=("source", "metric"),
    buckets=4,
    # The devices' clocks were synchronised; the one pod whose clock is broken is years ahead.
    ahead_at_most=timedelta(minutes=1),
    zone="UTC",
    clock_rule="Pods, devices and requests have UTC. The series don't state their zone: their local times are read as "
    "they stand, so a repeated hour stays repeated.",
    first_day=date(2011, 7, 1),
    why_these_days="the oldest series of the Numenta benchmark begin on 2011-07-01; made readings, which the demo "
    "lands, go on to yesterday",
    side_inputs=(SideInput("delays", packed_or_not("telemetry/delays/*", ending="txt"),
                           "measured delays, from which the arrivals of the series are made: no events", read_delays),),
    refusals={_NO_VALUE: "the cell is empty, NaN or NA",
              _NO_ARRIVAL: "a series has no arrival times, and no file of delays has landed from which to make them"},
    start_meaning="when the device took the reading; for a request, when it began",
    arrival_meaning="when the collector or server got it; for a request, its end; for series, computed "
    "(see made_arrival)",
)  # fmt: skip
