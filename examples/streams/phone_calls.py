"""Voice calls from the phones of students: an event is a call, taken as known when it ends.

A stream of its own, not a layout of `cdr`: a call has no antenna and no bytes, so it would share neither key nor value
with a data session, and every query of either would have to filter the other out.
"""

from datetime import date, timedelta

from windrow.schemas.fields import whole_number, whole_or_none
from windrow.schemas.local_time import SECOND_US, LocalClock
from windrow.schemas.stream import MOST, Column, Layout, Place, Record, Refusal, Stream, packed_or_not

ZONE = "UTC"
CLOCK = LocalClock(ZONE)
LONGEST_S = 2**15 - 1
AT_LIMIT = "at the limit of 16 bits"
_NEGATIVE = "negative duration"


def parse_call(fields: list[str], _: Place) -> list[Record | Refusal]:
    """A line is one call: caller, start, duration in seconds, receiver, number. The file's name is not used."""
    caller, started, duration, receiver, number = fields
    start_us, duration_s = CLOCK.read(started)[0], whole_number(duration)
    if duration_s < 0:
        return [Refusal(_NEGATIVE, f"the call is said to last {duration_s} s", start_us)]
    end_us = start_us + duration_s * SECOND_US
    note = AT_LIMIT if duration_s == LONGEST_S else None
    values = (whole_or_none(caller), whole_or_none(receiver), number or None, duration_s, note)
    return [Record(start_us, end_us, end_us, values)]


CALLS = Layout(
    name="calls",
    paths=packed_or_not("cdr/social-evolution/*"),
    header=("user_id", "time_stamp", "duration", "dest_user_id_if_known", "dest_phone_hash"),
    parse=parse_call,
    identity="line",
    fields=5,
    example=(Place("cdr/social-evolution/Calls.csv.gz", 2), "19,2009-01-02 10:04:28,15,,1000000001"),
)
COLUMNS = (
    Column("caller", "int64", "student who owns the phone; null if the line doesn't say", low=0, high=MOST,
           personal=True),
    Column("receiver", "int64", "student who was called; null if the line doesn't say", low=0, high=MOST,
           personal=True),
    Column("number", "string", "pseudonym of the number that was called", personal=True),
    Column("duration_s", "int64", "length of the call, 0 for a call without an answer", "s", low=0, high=LONGEST_S,
           nullable=False),
    Column("duration_note", "string", f"{AT_LIMIT}: the call lasted 32,767 s or longer; null otherwise"),
)  # fmt: skip

STREAM = Stream(
    name="phone_calls",
    title="Voice calls from students' phones",
    source="the Social Evolution study of 72 students, 2008 and 2009; research data, not to be published",
    layouts=(CALLS,),
    columns=COLUMNS,
    key=("caller",),
    buckets=1,
    ahead_at_most=timedelta(0),
    zone=ZONE,
    clock_rule="The source doesn't state its zone; by the daily rhythm it is UTC, which has no clock changes.",
    first_day=date(2008, 1, 1),
    last_day=date(2009, 6, 30),
    why_these_days="the study is of 2008 and 2009, and its one file ends with June 2009",
    refusals={_NEGATIVE: "the duration overflowed 16 bits, so the end of the call is unknown"},
    start_meaning="when the call began",
    arrival_meaning="when the call ended; the time of the phone's report was not recorded",
)
