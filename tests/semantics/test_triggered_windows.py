"""Sessions whose gap a column says, and count, delta, slide-by-tuple and policy windows, which events of a key trigger
(semantics §2)."""

import math
from datetime import UTC, datetime, timedelta
from random import Random

import pyarrow as pa
import pytest

from tests.support.local import replay_table
from tests.support.semantics.queries import HOUR, MINUTE, ask
from tests.support.semantics.spec_tables import at, events, table
from windrow.pipelines.gate.recount.plain.aggregates import aggregate
from windrow.schemas.errors import BadInput, WrongParameter
from windrow.schemas.query import agg, count, delta, session, slide_by_tuple


@pytest.mark.parametrize(("size", "step"), [(1, 1), (7, 1), (7, 3), (20, 20), (20, 33)])
def test_count_windows_by_arrival_of_many_events_are_their_rows_sorted_by_time(size, step):
    random = Random(size + step)
    starts = [random.randrange(30) for _ in range(200)]
    story = values(*(random.randrange(9) for _ in starts))
    at_starts = pa.array([at("10:00") + start * MINUTE for start in starts], story["start"].type)
    story = story.set_column(0, "start", at_starts).set_column(1, "end", at_starts)
    orders = {"first": agg("first", "value"), "last": agg("last", "value"), "run": agg("longest_run", "value")}
    found = replay_table(story, ask(count(size, step), "arrival", aggregates=orders)).to_pylist()
    rows, arrived = story.to_pylist(), range(0, len(starts) - size + 1, step)
    windows = [sorted(rows[first : first + size], key=lambda row: row["start"]) for first in arrived]
    wanted = [{name: aggregate(each, window) for name, each in orders.items()} for window in windows]
    found.sort(key=lambda row: row["emitted_at"])
    assert [{name: row[name] for name in orders} for row in found] == wanted


def values(*numbers: float) -> pa.Table:
    """Events of a key, a minute apart."""
    times = pa.array([at("10:00") + minute * MINUTE for minute in range(len(numbers))], pa.timestamp("us", tz="UTC"))
    columns = dict.fromkeys(("start", "end", "arrival"), times)
    return pa.table({**columns, "seq": range(len(numbers)), "key": ["a"] * len(numbers), "value": pa.array(numbers)})


@pytest.mark.parametrize(("numbers", "windows"), [((0.0, math.inf, math.inf), 0), ((-math.inf, -math.inf, 1.0), 1)])
def test_an_infinite_value_does_not_trigger_behind_its_like(numbers, windows):
    rows = replay_table(values(*numbers), ask(delta("value", extent=math.pi, threshold=1.0)), complete=True)
    assert len(rows) <= windows


def test_whole_numbers_beyond_those_that_floats_hold_are_refused():
    query = ask(delta("value", extent=2.0, threshold=1.0))
    replay_table(values(0, 2**53), query)
    with pytest.raises(BadInput, match="column value: 9007199254740993 is beyond"):
        replay_table(values(0, 2**53 + 1), query)


@pytest.mark.parametrize(
    ("window", "beyond"),
    [
        (lambda n: count(n, 1), "size"),
        (lambda n: count(1, n), "step"),
        (lambda n: slide_by_tuple(MINUTE, n), "step"),
    ],
)
def test_numbers_of_tuples_have_a_limit(window, beyond):
    one = table(events("key | start | arrival | value\na | 10:00 | 10:00 | 1"))
    replay_table(one, ask(window(2**61)))
    with pytest.raises(WrongParameter, match=f"{beyond} is {2**61 + 1}"):
        replay_table(one, ask(window(2**61 + 1)))


NOON_US = int(datetime(2024, 3, 1, 12, tzinfo=UTC).timestamp()) * 10**6


@pytest.mark.parametrize(
    ("unit", "most"), [(timedelta(seconds=1), 2**60 // 10**6), (timedelta(microseconds=1), 2**53)], ids=str
)
def test_a_gap_is_served_up_to_the_longest_and_one_beyond_names_its_event(unit, most):
    rows = replay_table(_of_value(most), ask(session("value", unit), aggregates={}), complete=True)
    assert rows["window_end"].cast("int64").to_pylist() == [NOON_US + most * (unit // timedelta(microseconds=1))]
    beyond = rf"column value: {most + 1} of an event that starts at 2024-03-01 12:00:00 UTC is a gap beyond {most:,}"
    with pytest.raises(BadInput, match=beyond):
        replay_table(_of_value(most + 1), ask(session("value", unit), aggregates={}), complete=True)


def test_a_column_of_gaps_must_be_there_and_hold_whole_numbers():
    for query, wrong in ((ask(session("valeu", MINUTE)), "'valeu'. Did you mean 'value'"),
                         (ask(session("key", MINUTE)), "type of column key is 'string'; allowed: int64")):  # fmt: skip
        with pytest.raises(WrongParameter, match=wrong):
            replay_table(_of_value(1), query)
    floats = _of_value(1).set_column(5, "value", pa.array([1.0]))
    with pytest.raises(WrongParameter, match="type of column value is 'float64'; allowed: int64"):
        replay_table(floats, ask(session("value", MINUTE)))


def test_an_option_of_a_kernel_may_be_a_word():
    rows = """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 1
        a   | 10:12 | 10:12   | 2
        a   | 10:06 | 10:14   | 4
        """
    asked, given = ask(session(10 * MINUTE), allowed=HOUR), table(events(rows))
    lazily = replay_table(given, asked, True, "single_buffer", {"sorting": "lazy"})
    assert lazily.num_rows > 0
    assert lazily == replay_table(given, asked, True)


def _of_value(value: int) -> pa.Table:
    """One event at noon."""
    return table(events(f"key | start | arrival | value\na | 12:00 | 12:00 | {value}"))
