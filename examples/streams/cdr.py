"""Data sessions of a mobile network (call detail records): an event is a session, known when it ends.

One layout without a header. The source wrote addresses and user agents without quotes: a comma in them makes more than
21 fields, but they stand behind every field that is read here, so a ragged line is as good as any.
"""

import re
from datetime import date, timedelta

from windrow.schemas.fields import Choices, whole_number, whole_or_none
from windrow.schemas.local_time import SECOND_US, LocalClock
from windrow.schemas.stream import MOST, Column, Layout, Place, Record, Refusal, Stream, packed_or_not

ZONE = "Asia/Shanghai"
CLOCK = LocalClock(ZONE)
FIELDS_AT_LEAST = 21
# A reported length in whole seconds that is further from end - start than rounding can explain.
DISAGREES_FROM_US = 1_500_000
LENGTH_DISAGREES = "reported length disagrees"
RADIO_TYPES = Choices({"1": 1, "2": 2})
_MINUTES_ONLY = re.compile(r"\d\d:\d\d\.\d", re.ASCII)
_NO_DATE = "no date"
# Signalling holds 16 bits of an area, and 28 of a cell (3GPP TS 23.003).
LARGEST_AREA, LARGEST_CELL = 2**16 - 1, 2**28 - 1
# Weeks of a device that never sleeps are legal, a decade is a broken clock; below 0 it is an end before its start.
TEN_YEARS_S = 10 * 366 * 86_400


def parse_session(fields: list[str], _: Place) -> list[Record | Refusal]:
    """A line is one session: the subscriber, the antenna, start and end, and the bytes in each direction.

    There is no header; the fields are, from the first on: subscriber, location area, cell, access point, device type,
    serving node, gateway node, start and end in local time, length in whole seconds, bytes up and down, radio access
    type; the 17th is the port, the 18th the HTTP status. The file's name is not used.
    """
    if len(fields) < FIELDS_AT_LEAST:
        return [Refusal("wrong column count", f"{len(fields)} fields; the layout has {FIELDS_AT_LEAST} or more")]
    subscriber, area, cell, apn, device, sgsn, ggsn, started, ended, reported, up, down, radio = fields[:13]
    if _MINUTES_ONLY.fullmatch(started) and _MINUTES_ONLY.fullmatch(ended):
        return [Refusal(_NO_DATE, f"the session is said to last from {started} to {ended}")]
    start_us, end_us = CLOCK.read(started)[0], CLOCK.read(ended)[0]
    length_us, reported_s = end_us - start_us, whole_number(reported)
    sizes = (whole_number(up), whole_number(down))
    disagrees = abs(length_us - reported_s * SECOND_US) >= DISAGREES_FROM_US
    values = (
        subscriber or None, whole_number(area), whole_number(cell), apn or None, device or None, sgsn or None,
        ggsn or None, length_us / SECOND_US, reported_s, LENGTH_DISAGREES if disagrees else None, *sizes, sum(sizes),
        RADIO_TYPES[radio], whole_or_none(fields[16]), whole_or_none(fields[17]) or None,
    )  # fmt: skip
    return [Record(start_us, end_us, end_us, values)]


SESSIONS = Layout(
    name="sessions",
    paths=packed_or_not("cdr/isp-xdr/*/*", "cdr/generated-xdr/*/*"),
    header=None,
    parse=parse_session,
    identity=None,
    quoting=None,
    example=(
        Place("cdr/isp-xdr/beijing/BY_USER_20_XJL_20150803.csv.gz", 1),
        "0123456789AB,42000,3500,3gnet,013468,10.0.0.1,10.0.0.2,2015-08-02 22:10:37.500000,"
        "2015-08-02 22:10:38.250000,0,845,706,1,,,,80,200,,,",
    ),
)
COLUMNS = (
    Column("subscriber", "string", "pseudonym of the subscriber, the same in every file", personal=True),
    Column("location_area", "int64", "location area code (LAC); with the cell it names the antenna", low=0,
           high=LARGEST_AREA, nullable=False),
    Column("cell", "int64", "cell id (CI)", low=0, high=LARGEST_CELL, nullable=False),
    Column("access_point", "string", "access point name (APN), in upper or lower case as the line has it"),
    Column("device_type", "string", "first six digits of the device's number (IMEI)"),
    Column("serving_node", "string", "address of the serving node (SGSN)"),
    Column("gateway_node", "string", "address of the gateway node (GGSN)"),
    Column("length_s", "float64", "end - start", "s", low=-TEN_YEARS_S, high=TEN_YEARS_S, nullable=False),
    Column("reported_length_s", "int64", "length as the operator reports it, whole seconds", "s", low=0,
           high=TEN_YEARS_S, nullable=False),
    Column("length_note", "string", f"{LENGTH_DISAGREES}: by 1.5 s or more from end - start; null otherwise"),
    Column("uplink_bytes", "int64", "sent by the subscriber", "bytes", low=0, high=MOST, nullable=False),
    Column("downlink_bytes", "int64", "received by the subscriber", "bytes", low=0, high=MOST, nullable=False),
    Column("whole_bytes", "int64", "uplink and downlink together", "bytes", low=0, high=2 * MOST,
           nullable=False),
    Column("radio_type", "int64", "radio access type, 1 or 2", low=1, high=2, nullable=False),
    Column("destination_port", "int64", "port at the other end", low=0, high=65_535),
    Column("http_status", "int64", "status of the HTTP answer; null for 0 (none)", low=100, high=999),
)  # fmt: skip

STREAM = Stream(
    name="cdr",
    title="Data sessions of a Chinese mobile network",
    source="an operator's records of Beijing and Guangzhou in August 2015, released for research in edge computing",
    layouts=(SESSIONS,),
    columns=COLUMNS,
    key=("location_area", "cell"),
    buckets=4,
    ahead_at_most=timedelta(0),
    zone=ZONE,
    clock_rule="The source doesn't state its zone; by the daily rhythm it is Chinese time, which has no clock changes.",
    first_day=date(2015, 7, 31),
    why_these_days="the records are of August 2015, which began in China on 2015-07-31 in UTC; made records, which "
    "the demo lands, go on to yesterday",
    refusals={_NO_DATE: "start and end have only minutes and seconds, since a spreadsheet cut off date and hour"},
    start_meaning="when the session began, which may be on the day before that of its file",
    arrival_meaning="when the session ended: its record is written then",
)
