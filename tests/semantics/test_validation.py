"""What `replay_table` refuses, and that it names the row, the value and what is allowed."""

import re
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from tests.support.local import late_table, replay_table
from tests.support.semantics.queries import MINUTE, ask
from tests.support.semantics.spec_tables import TIMES, at, events, table
from windrow.schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter
from windrow.schemas.query import agg, rolling, session, sliding, tumbling
from windrow.schemas.windows import Session

TEN = tumbling(10 * MINUTE)
QUERY = ask(TEN, "arrival")
GOOD = table(
    events("""
    key | start | arrival | value
    a   | 10:01 | 10:02   | 1
    b   | 10:02 | 10:03   | 2
    a   | 10:03 | 10:04   | 4
    """)
)


def replaced(name: str, values: object, type_: pa.DataType | None = None) -> pa.Table:
    """The good table with one column exchanged; a start takes its end with it."""
    changed = GOOD.set_column(GOOD.column_names.index(name), name, pa.array(values, type_))
    return changed.set_column(1, "end", changed["start"]) if name == "start" else changed


def refused(events_table: pa.Table, kind: type, message: str, query=QUERY) -> None:
    """Both functions refuse, with the same words."""
    for ask_for in (replay_table, late_table):
        with pytest.raises(kind, match=message):
            ask_for(events_table, query)


def test_the_good_table_is_good():
    assert replay_table(GOOD, QUERY).num_rows == 3


NAMES = ("start", "end", "arrival", "seq")
ROWS, NAN = GOOD.to_pydict(), float("nan")
REFUSED = [
    *((GOOD.drop_columns([name]), BadInput, f"0 columns named '{name}'") for name in NAMES),
    (GOOD.drop_columns(["key"]), WrongParameter, "column is 'key'; allowed: .*start, end, arrival, seq, value"),
    (GOOD.drop_columns(["value"]), WrongParameter, "column is 'value'"),
    (GOOD.append_column("value", GOOD["value"]), WrongParameter, "column is 'value'; allowed: .*once"),
    (GOOD.append_column("seq", GOOD["seq"]), BadInput, "2 columns named 'seq'"),
    *((replaced(name, [*ROWS[name][:2], None], GOOD[name].type), BadInput, f"row 2: {name} is null") for name in NAMES),
    *((replaced(name, column), BadInput, rf"column '{name}' is .*; a replay needs (timestamp\[us, tz=UTC\]|int64)")
      for name, column in (
        ("start", [1, 2, 3]), ("start", [datetime(2024, 3, 1)] * 3), ("arrival", ["10:00"] * 3), ("end", pa.nulls(3)),
        ("seq", [1.0, 2.0, 3.0]), ("seq", ["1", "2", "3"]))),
    (replaced("arrival", [10**18, 10**18 + 1000, 10**18 + 1], pa.timestamp("ns", tz="UTC")), BadInput,
     r"row 2: arrival is 1000000000000000001 in timestamp\[ns, tz=UTC\]"),
    (replaced("arrival", [0, 2**62, 1], pa.timestamp("s", tz="UTC")), BadInput,
     "row 1: arrival is 4611686018427387904 in timestamp.s, tz=UTC."),
    (replaced("seq", [1, 2**63, 3], pa.uint64()), BadInput, "row 1: seq is .* in uint64"),
    *((replaced(name, [0, far, 0], TIMES), BadInput, rf"row 1 \(.*\): {name} is beyond ±36,533 years")
      for name in ("start", "arrival") for far in (2**60 + 1, -(2**60) - 1, 2**63 - 1, -(2**63))),
    (replaced("end", [at("10:01"), at("10:01"), at("10:03")], TIMES), BadInput,
     r"row 1 \(.* seq 1\): end .*10:01.* is before start .*10:02"),
    (replaced("arrival", [at("10:02"), at("10:03"), at("10:02")], TIMES).set_column(3, "seq", pa.array([7, 7, 7])),
     BadInput, r"row 0 .*seq 7\) and row 2 have the same arrival and seq"),
    *((replaced("value", [1.0, NAN, 2.0], type_), BadInput, "row 1: value is NaN")
      for type_ in (pa.float64(), pa.float32())),
    ({"start": []}, WrongParameter, "events is 'dict'; allowed: a pyarrow.Table"),
]  # fmt: skip
OF_A_QUERY = [
    (ask(TEN, where=(("colour", "==", "red"),)), WrongParameter, "column is 'colour'"),
    (ask(rolling(timedelta.max)), WrongParameter, "size is .*at most"),
    (ask(sliding(MINUTE, timedelta.max)), WrongParameter, "slide is .*at most"),
    ("bikes_demand", WrongParameter, "query is 'str'"),
]


@pytest.mark.parametrize(
    ("given", "query", "kind", "message"),
    [*((given, QUERY, *error) for given, *error in REFUSED), *((GOOD, query, *error) for query, *error in OF_A_QUERY)],
)
def test_what_is_wrong_is_refused_with_row_value_and_what_is_allowed(given, query, kind, message):
    refused(given, kind, message, query)


def test_times_at_the_limit_are_served():
    rows = replay_table(replaced("start", [-(2**60), 0, 2**60], TIMES), ask(TEN, "arrival", aggregates={}))
    assert rows.num_rows == 3
    assert rows["events"].to_pylist() == [1, 1, 1]


def test_the_same_seq_at_another_arrival_is_fine():
    assert replay_table(replaced("seq", [5, 5, 5]), QUERY).num_rows == 3


def test_nan_in_a_row_that_is_filtered_out_is_refused_too():
    query = ask(TEN, where=(("key", "==", "a"),))
    refused(replaced("value", [1.0, float("nan"), 2.0]), BadInput, "row 1: value is NaN", query)


def test_nan_in_a_column_that_the_query_does_not_read_does_not_matter():
    extra = GOOD.append_column("other", pa.array([float("nan")] * 3))
    assert replay_table(extra, QUERY).equals(replay_table(GOOD, QUERY))


def test_a_window_kind_that_no_kernel_serves_is_refused_by_name_with_what_is(monkeypatch):
    monkeypatch.setattr(Session, "kind", "unserved")
    served = "window 'unserved' isn't supported yet; supported: count, .*session, .*tumbling"
    refused(GOOD, NotServed, served, ask(session(MINUTE)))


@pytest.mark.parametrize(
    ("kind", "message", "given"),
    [
        (WrongParameter, "complete is 'yes'", {"complete": "yes"}),
        (NotServed, "kernel 'abacus' .*supported: .*daba_lite, finger_tree", {"kernel": "abacus"}),
        (WrongParameter, "options is 'colour'", {"kernel": "finger_tree", "options": {"colour": 1}}),
        (NotServed, "midpoint.*supported: all, any, .*, count, .*, max, .*, sum, top_k, variance",
         {"query": ask(TEN, aggregates={"middle": agg("midpoint", "value")})}),
    ],
)  # fmt: skip
def test_what_a_replay_alone_is_given_is_refused(kind, message, given):
    with pytest.raises(kind, match=message):
        replay_table(GOOD, **{"query": QUERY} | given)


def test_a_sum_beyond_int64_is_an_error_that_names_aggregate_key_window_and_its_least_and_greatest_value():
    big = replaced("value", [2**62, 1, 2**62 + 1], pa.int64())
    window = "[2024-03-01 10:00:00 UTC, 2024-03-01 10:10:00 UTC)"
    named = re.escape(f"sum of column value for key='a', window {window} is beyond")
    ends = re.escape(f"Of its 2 values the least is {2**62} (seq 1), the greatest {2**62 + 1} (seq 3)")
    with pytest.raises(AggregateFailed, match=f"{named}.*{ends}$"):
        replay_table(big.set_column(big.column_names.index("seq"), "seq", pa.array([1, 2, 3])), QUERY)


def test_a_failed_aggregate_names_no_event_beyond_its_window_of_another_key_or_that_came_after_it():
    rows = table(
        events("""
        key | start | arrival | value
        b   | 10:01 | 10:01   | 9
        a   | 09:59 | 10:01   | 9
        a   | 10:01 | 10:01   | 1
        a   | 10:02 | 10:02   | 2
        a   | 10:03 | 10:09   | 3
        a   | 10:10 | 10:12   | 9
        """)
    )
    rows = rows.set_column(rows.column_names.index("value"), "value", pa.array([9, 9, 2**62, 2**62, -(2**62), 9]))
    with pytest.raises(AggregateFailed, match=re.escape(f"Of its 2 values the least is {2**62} (seq 2), the")):
        replay_table(rows, QUERY)


def test_a_failed_aggregate_of_a_key_at_a_time_beyond_the_years_of_python_names_the_key():
    big = replaced("value", [2**62, 1, 2**62], pa.int64())
    days = 720 * 146_097 + 10_957  # 720 times 400 years and the 30 from 1970 to 2000
    far = pa.array([days * 86_400] * 3).cast(pa.timestamp("s", "UTC"))
    big = big.set_column(big.column_names.index("key"), "key", far)
    with pytest.raises(AggregateFailed, match="for key='290000-01-01T00:00:00Z', window"):
        replay_table(big, QUERY)


def test_a_sum_that_only_passes_beyond_int64_on_its_way_is_fine():
    value = [2**63 - 1, 2**63 - 1, -(2**63)]
    rows = replaced("value", value, pa.int64())
    rows = rows.set_column(rows.column_names.index("key"), "key", pa.array(["a"] * 3))
    assert replay_table(rows, ask(tumbling(timedelta(days=1))), complete=True)["total"].to_pylist()[-1] == 2**63 - 2


def test_a_zone_reaches_from_year_1_to_9999():
    table_ = replaced("start", [at("10:01"), datetime(9999, 12, 31, tzinfo=UTC), at("10:03")], TIMES)
    refused(table_, BadInput, "local dates from year 1 to 9999", ask(tumbling(timedelta(days=1), zone="Asia/Tokyo")))


def test_a_key_named_like_a_column_of_the_late_table_is_refused_there():
    renamed = GOOD.rename_columns([*GOOD.column_names[:-2], "reason", "value"])
    with pytest.raises(WrongParameter, match="key is 'reason'"):
        late_table(renamed, ask(TEN, key=("reason",)))
    assert replay_table(renamed, ask(TEN, "arrival", key=("reason",))).num_rows == 3


def test_an_event_further_ahead_of_its_arrival_than_is_allowed_is_refused_as_one_wrong_clock_makes_others_late():
    ahead = replaced("start", [at("10:01"), at("10:10"), at("10:03")], TIMES)
    most = timedelta(minutes=7)
    for ask_for in (replay_table, late_table):
        assert ask_for(ahead, QUERY, ahead_at_most=most).num_rows == ask_for(ahead, QUERY).num_rows
        with pytest.raises(BadInput, match=r"^row 1 .* is 7 minutes after arrival .*timedelta\(seconds=420\)"):
            ask_for(ahead, QUERY, ahead_at_most=most - timedelta(microseconds=1))


@pytest.mark.parametrize("wrong", [MINUTE - timedelta(microseconds=1), timedelta(days=1), -MINUTE, 60])
def test_silence_that_is_shorter_than_a_minute_or_lasts_a_day_is_refused(wrong):
    for ask_for in (replay_table, late_table):
        for right in (MINUTE, timedelta(days=1, microseconds=-1)):
            assert ask_for(GOOD, QUERY, idle_after=right).equals(ask_for(GOOD, QUERY))
        with pytest.raises(WrongParameter, match="^idle_after is .*; allowed: .*from 1 minute to less than 1 day, or"):
            ask_for(GOOD, QUERY, idle_after=wrong)


def test_a_silence_of_centuries_by_the_minute_is_refused_before_it_takes_all_memory():
    table_ = replaced("arrival", [at("1900-01-01 00:00"), at("10:03"), at("10:04")], TIMES)
    with pytest.raises(WrongParameter, match="^idle_after is 1 minute; allowed: .* 16,777,216 heartbeats"):
        replay_table(table_, QUERY, idle_after=MINUTE)
    assert replay_table(table_, QUERY, idle_after=60 * MINUTE).num_rows == 3
