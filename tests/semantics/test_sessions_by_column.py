"""Sessions whose gap a column says: each event keeps its session open for so long (semantics §2)."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from schemas.errors import BadInput, WrongParameter
from schemas.query import session
from tests.support.local import replay_table
from tests.support.semantics.queries import HOUR, MINUTE, ask
from tests.support.semantics.spec_tables import events, table

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
