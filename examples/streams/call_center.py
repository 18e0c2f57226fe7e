"""Calls to a bank's call centre: an event is a call with up to three parts (menu, queue, agent), known when it ends.

A stream of its own, not a layout of `cdr`: what it knows of a call (queue, outcome, agent) no other source has, and it
has neither antenna nor bytes.
"""

from datetime import date, timedelta
from functools import lru_cache

from windrow.schemas.fields import Choices, whole_number, whole_or_none
from windrow.schemas.local_time import SECOND_US, LocalClock
from windrow.schemas.stream import MOST, Column, Layout, Place, Record, Stream, packed_or_not

ZONE = "Asia/Jerusalem"
CLOCK = LocalClock(ZONE)
DID_NOT_HAPPEN = "0:00:00"
DAY_S = 86_400
HALF_A_DAY_US = 43_200 * SECOND_US
NEXT_MIDNIGHT, TWO_CLOCKS = "ends on the next day", "menu ends before it begins"
OUTCOMES = Choices({"AGENT": "agent", "HANG": "hung up", "PHANTOM": "phantom"})


def parse_call(fields: list[str], _: Place) -> list[Record]:
    """A line is one call: local times of day of the menu, the queue and the agent, all on the date on which it began.

    A time of day more than half a day before the call began is on the next day; `0:00:00` says that a part did not
    happen. The file's name is not used.
    """
    line, call, customer, priority, kind, day, entered, menu_exit, menu_s, _queued, queue_exit, queue_s, *rest = fields
    outcome, _answered, agent_exit, agent_s, agent = rest
    start_us = _time_us(day, entered)
    ends_us = [_after(start_us, _time_us(day, text)) for text in (menu_exit, queue_exit, agent_exit)
               if text != DID_NOT_HAPPEN]  # fmt: skip
    end_us = max(ends_us, default=start_us)
    values = (
        line, whole_number(call), whole_or_none(customer) or None, whole_number(priority), kind, OUTCOMES[outcome],
        agent, whole_number(menu_s), whole_number(queue_s), whole_number(agent_s),
        _note(day, end_us, whole_number(menu_s)),
    )  # fmt: skip
    return [Record(start_us, end_us, end_us, values)]


def _after(start_us: int, time_us: int) -> int:
    """A time of day more than half a day before the call began is one of the next day."""
    return time_us + 2 * HALF_A_DAY_US if time_us < start_us - HALF_A_DAY_US else time_us


def _note(day: str, end_us: int, menu_s: int) -> str | None:
    if end_us >= _time_us(day, DID_NOT_HAPPEN) + 2 * HALF_A_DAY_US:
        return NEXT_MIDNIGHT
    return TWO_CLOCKS if menu_s < 0 else None


@lru_cache(maxsize=1 << 14)
def _time_us(day: str, time: str) -> int:
    """`990201` and `7:02:47` to µs since the epoch, UTC."""
    if len(day) != 6:
        raise ValueError(f"{day!r} is not a date such as 990201")
    return CLOCK.read(f"19{day[:2]}-{day[2:4]}-{day[4:]} {time.zfill(8)}")[0]


CALLS = Layout(
    name="calls",
    paths=packed_or_not("cdr/anonymous-bank/*", ending="tsv"),
    header=(
        "vru+line", "call_id", "customer_id", "priority", "type", "date", "vru_entry", "vru_exit", "vru_time",
        "q_start", "q_exit", "q_time", "outcome", "ser_start", "ser_exit", "ser_time", "server",
    ),
    parse=parse_call,
    identity="line",
    delimiter="\t",
    fields=17,
    example=(
        Place("cdr/anonymous-bank/february.tsv.gz", 2),
        "AA0999\t11111\t0\t0\tPS\t990201\t7:02:47\t7:02:56\t9\t0:00:00\t0:00:00\t0\tAGENT\t7:02:55\t7:05:41\t166\tNOA",
    ),
)  # fmt: skip
COLUMNS = (
    Column("phone_line", "string", "the telephone line", nullable=False),
    Column("call", "int64", "number of the call", low=0, high=MOST, nullable=False),
    Column("customer", "int64", "pseudonym of the customer; null for 0 (unknown)", low=0, high=MOST, personal=True),
    Column("priority", "int64", "0 and 1: usual, 2: preferred", low=0, high=9, nullable=False),
    Column("service", "string", "the requested service, such as PS, the usual one", nullable=False),
    Column("outcome", "string", "agent, hung up or phantom", nullable=False),
    Column("agent", "string", "the agent who answered; NO_SERVER if no agent did", nullable=False),
    Column("menu_s", "int64", "time in the menu; below zero if two clocks disagreed", "s", low=-DAY_S, high=DAY_S,
           nullable=False),
    Column("queue_s", "int64", "time in the queue", "s", low=0, high=DAY_S, nullable=False),
    Column("agent_s", "int64", "time with the agent", "s", low=0, high=DAY_S, nullable=False),
    Column("time_note", "string", f"{NEXT_MIDNIGHT}, or {TWO_CLOCKS}; null otherwise"),
)  # fmt: skip

STREAM = Stream(
    name="call_center",
    title="Calls to a bank's call centre",
    source="the Anonymous Bank data of the Technion, Haifa: the first half of February 1999",
    layouts=(CALLS,),
    columns=COLUMNS,
    key=("phone_line",),
    buckets=1,
    ahead_at_most=timedelta(0),
    zone=ZONE,
    clock_rule="All times of a call have the date on which the call began; a time more than half a day before its "
    "begin is on the next day. 0:00:00 means that a part did not happen. No clock change falls into the data.",
    first_day=date(1998, 12, 31),
    last_day=date(2000, 1, 1),
    why_these_days="the data are of 1999, which began in Israel on 1998-12-31 in UTC; a call of its last evening may "
    "end after midnight",
    start_meaning="when the menu answered",
    arrival_meaning="when the last of menu, queue and agent ended",
)
