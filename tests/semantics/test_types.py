"""Arrow types in and out: keys keep theirs, times may come in any unit, each aggregate has its promised type."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest

from tests.support.local import late_table, replay_table
from tests.support.semantics.queries import MINUTE, ask
from tests.support.semantics.spec_tables import TIMES, at, events, table
from tools.docs.kernels import _aggregate
from windrow.kernels.monoids import functions
from windrow.pipelines.rows.arrays import TIME
from windrow.pipelines.tables.query_tables import plan_aggregates
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import WINDOW_COLUMNS, agg, tumbling

TEN = tumbling(10 * MINUTE)
STORY = table(
    events("""
    key | start | arrival | value
    a   | 10:01 | 10:02   | 1
    b   | 10:02 | 10:03   | 2
    a   | 10:03 | 10:04   | 4
    b   | 10:15 | 10:16   | 8
    a   | 10:04 | 10:17   | 16
    """)
)
ALL = {
    "number": agg("count", "value"),
    "total": agg("sum", "value"),
    "middle": agg("mean", "value"),
    "least": agg("min", "value"),
    "most": agg("max", "value"),
}


def with_column(name: str, values: pa.Array | list, type_: pa.DataType | None = None) -> pa.Table:
    """The story with one column exchanged."""
    return STORY.set_column(STORY.column_names.index(name), name, pa.array(values, type_) if type_ else values)


def last_row(values: list, type_: pa.DataType, aggregates: dict) -> dict:
    """The row that covers all five events, with the result's types."""
    rows = replay_table(
        with_column("value", values, type_),
        ask(tumbling(timedelta(days=1)), "arrival", key=(), aggregates=aggregates, allowed=timedelta(days=1)),
    )
    return {name: rows[name][-1] for name in aggregates}


def test_the_columns_and_their_types():
    query = ask(TEN, "arrival", aggregates={**ALL, "rows": agg("count")}, allowed=timedelta(days=1))
    text, time, whole = pa.string(), TIMES, pa.int64()
    types = (text, time, time, whole, text, time, whole, whole, whole, whole, pa.float64(), whole, whole, whole)
    wanted = pa.schema(zip(("key", *WINDOW_COLUMNS, *ALL, "rows"), types, strict=True))
    assert replay_table(STORY, query).schema.equals(wanted)
    assert replay_table(STORY.slice(0, 0), query).schema.equals(wanted)
    nothing = replay_table(STORY, ask(TEN, "arrival", aggregates=query.aggregates, where=(("key", "==", "z"),)))
    assert nothing.schema.equals(wanted)
    assert nothing.num_rows == 0


def test_the_columns_of_the_late_table_and_their_types():
    of_query = {"reason": pa.string(), "first_missed": TIMES, "last_missed": TIMES}
    counts = {"windows_missed": pa.int64(), "late_by": pa.int64()}
    times = dict.fromkeys(("start", "end", "arrival"), TIMES)
    wanted = pa.schema({"key": pa.string(), **times, "seq": pa.int64(), **of_query, **counts})
    late = late_table(STORY, ask(TEN))
    assert late.schema.equals(wanted)
    assert late["seq"].to_pylist() == [4]
    assert late_table(STORY.slice(0, 0), ask(TEN)).schema.equals(wanted)


INTEGERS = pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()
FLOATING = pa.float16(), pa.float32(), pa.float64()
NUMBERS = [(type_, [5, None, 100, 0, 7]) for type_ in INTEGERS] + [
    (type_, [0.5, None, -2.25, 8.0, 0.0]) for type_ in FLOATING
]
OTHERS = [
    (pa.uint64(), [2**64 - 1, 0, 2**63, 2**63 - 1, None]),
    (pa.int64(), [-(2**63), 2**63 - 1, 0, None, 1]),
    (pa.bool_(), [True, None, False, True, True]),
    (pa.date32(), [date(2024, 3, 1), date(1969, 1, 1), None, date(9999, 1, 1), date(2000, 1, 1)]),
    (pa.date64(), [date(2024, 3, 1), date(1969, 1, 1), None, date(2025, 1, 1), date(2000, 1, 1)]),
    (pa.time32("s"), [time(10), time(9), None, time(23, 59, 59), time(0)]),
    (pa.time64("us"), [time(10), time(9), None, time(23, 59, 59, 999999), time(0)]),
    (pa.duration("ms"), [timedelta(seconds=-1), None, timedelta(0), timedelta(days=3), timedelta(1)]),
    (pa.timestamp("s", tz="Asia/Kathmandu"), [at("10:00"), at("-1 10:00"), None, at("+1 10:00"), at("10:01")]),
    (pa.timestamp("ns"), [datetime(2024, 1, 1), datetime(1900, 1, 1), None, *[datetime(2200, 1, 1)] * 2]),
]
"""In whose order there is a least and a greatest value."""


@pytest.mark.parametrize(("type_", "values"), [*NUMBERS, *OTHERS])
def test_min_and_max_keep_every_type_that_has_an_order_and_numbers_sum_to_64_bits(type_, values):
    are_numbers = (type_, values) in NUMBERS
    present = [value for value in pa.array(values, type_).to_pylist() if value is not None]
    wanted = {"number": (4, pa.int64()), "least": (min(present), type_), "most": (max(present), type_)}
    if are_numbers:
        of_sum = pa.float64() if type_ in FLOATING else pa.int64()
        wanted |= {"total": (sum(present), of_sum), "middle": (sum(present) / 4, pa.float64())}
    row = last_row(values, type_, {name: ALL[name] for name in wanted})
    assert {name: (value.as_py(), value.type) for name, value in row.items()} == wanted


def test_minus_zero_is_below_zero():
    row = last_row([0.0, -0.0, 0.0, -0.0, 0.0], pa.float64(), {name: ALL[name] for name in ("least", "most")})
    assert (str(row["least"].as_py()), str(row["most"].as_py())) == ("-0.0", "0.0")


COUNTED = [
    (pa.string(), "x"),
    (pa.binary(), b"x"),
    (pa.decimal128(5, 2), Decimal("1.5")),
    (pa.list_(pa.int64()), [1]),
    (pa.dictionary(pa.int8(), pa.string()), "x"),
    (pa.null(), None),
]


@pytest.mark.parametrize(("type_", "value"), COUNTED, ids=str)
def test_count_takes_a_column_of_any_type(type_, value):
    row = last_row([value, None, value, None, value], type_, {"number": ALL["number"]})
    assert row["number"].as_py() == (0 if value is None else 3)


KEYS = [
    *((type_, ["b", "a", None, "a", "b"]) for type_ in (pa.string(), pa.large_string(), pa.string_view())),
    (pa.dictionary(pa.int8(), pa.string()), ["b", "a", None, "a", "b"]),
    (pa.dictionary(pa.int32(), pa.large_string(), ordered=True), ["b", "a", None, "a", "b"]),
    (pa.binary(), [b"\xff", b"a", None, b"a", b"\xff"]),
    (pa.bool_(), [True, False, None, False, True]),
    (pa.int8(), [3, -3, None, -3, 3]),
    (pa.uint64(), [2**64 - 1, 1, None, 1, 2**64 - 1]),
    (pa.float64(), [0.0, -1.5, None, -1.5, -0.0]),
    (pa.float16(), [2.0, -1.5, None, -1.5, 2.0]),
    (pa.decimal128(5, 2), [Decimal("3.10"), Decimal("-3"), None, Decimal("-3"), Decimal("3.10")]),
    (pa.date32(), [date(2024, 3, 1), date(1969, 1, 1), None, date(1969, 1, 1), date(2024, 3, 1)]),
    (TIMES, [at("10:00"), at("09:00"), None, at("09:00"), at("10:00")]),
    (pa.timestamp("s"), [datetime(2024, 1, 1), datetime(2023, 1, 1), None, datetime(2023, 1, 1), datetime(2024, 1, 1)]),
]


@pytest.mark.parametrize(("type_", "values"), KEYS, ids=[str(type_) for type_, _ in KEYS])
def test_keys_keep_their_type_and_sort_with_nulls_last(type_, values):
    query = ask(tumbling(timedelta(days=1)), "final", aggregates={})
    rows = replay_table(with_column("key", values, type_), query, complete=True)
    assert rows["key"].type == type_
    assert rows["key"].to_pylist() == [*sorted(set(values) - {None}), None]
    assert rows["events"].to_pylist() == [2, 2, 1]


def test_keys_sort_by_their_utf8_bytes():
    values = ["Z", "a", "é", "￿", "\U0001f6b2"]
    rows = replay_table(with_column("key", values[::-1], pa.string()), ask(TEN, "arrival", allowed=timedelta(1)))
    assert rows["key"].to_pylist() == values


@pytest.mark.parametrize(
    "type_",
    [
        pa.timestamp("s", tz="UTC"),
        pa.timestamp("ms", tz="America/New_York"),
        pa.timestamp("ns", tz="+05:30"),
        pa.dictionary(pa.int8(), TIMES),
    ],
)
def test_times_of_another_unit_or_zone_are_the_same_instants(type_):
    other = STORY
    for name in ("start", "end", "arrival"):
        column = STORY[name].dictionary_encode() if pa.types.is_dictionary(type_) else STORY[name].cast(type_)
        other = other.set_column(other.column_names.index(name), name, column)
    query = ask(TEN, allowed=timedelta(hours=1))
    assert replay_table(other, query).equals(replay_table(STORY, query))
    assert late_table(other, ask(TEN)).equals(late_table(STORY, ask(TEN)))


@pytest.mark.parametrize("type_", [pa.int8(), pa.uint64(), pa.int32()])
def test_seq_may_be_any_integer(type_):
    other = with_column("seq", STORY["seq"].cast(type_))
    assert late_table(other, ask(TEN)).equals(late_table(STORY, ask(TEN)))


def test_chunks_slices_and_dictionaries_per_chunk_make_no_difference():
    query = ask(TEN, aggregates=ALL, allowed=timedelta(hours=1), where=(("value", "<", 16),))
    chunked = pa.concat_tables([STORY.slice(0, 2), STORY.slice(2, 0), STORY.slice(2, 2), STORY.slice(4)])
    padded = pa.concat_tables([STORY, STORY.slice(1, 3), STORY]).slice(5 + 3, 5)
    chunks = [pa.array(each, pa.string()).dictionary_encode() for each in (["a", "b"], ["a", "b", "a"])]
    encoded = pa.chunked_array(chunks)
    for other in (chunked, padded):
        assert replay_table(other, query).equals(replay_table(STORY, query))
    found = replay_table(with_column("key", encoded), query)
    assert found.set_column(0, "key", found["key"].cast(pa.string())).equals(replay_table(STORY, query))


def test_names_of_events_are_free_for_results_and_open_to_aggregates():
    """An aggregate may be named like a column of the events, and be taken over its times."""
    query = ask(
        TEN,
        "final",
        aggregates={
            "start": agg("min", "start"),
            "arrival": agg("max", "arrival"),
            "value": agg("count", "seq"),
            "seq": agg("max", "seq"),
        },
    )
    rows = replay_table(STORY, query, complete=True).to_pylist()
    assert [rows[0][name] for name in ("start", "arrival", "value", "seq")] == [at("10:01"), at("10:04"), 2, 2]


def test_a_key_may_be_a_time_of_the_event():
    rows = replay_table(STORY, ask(TEN, "final", key=("start",), allowed=timedelta(1)), complete=True)
    assert rows["start"].to_pylist() == sorted(STORY["start"].to_pylist())
    late = late_table(STORY, ask(TEN, key=("start",)))
    assert late.column_names[:4] == ["start", "end", "arrival", "seq"]
    assert late["start"].to_pylist() == [at("10:04")]


def test_the_page_of_aggregates_lists_exactly_the_types_that_a_query_may_ask_of():
    """Of one column, and without any."""
    types_ = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_(), "timestamp": TIME, "date": pa.date32(),
              "string": pa.string()}  # fmt: skip
    for name in functions():
        listed = _aggregate(name)[1].partition(";")[0].split(", ")
        for column, type_ in types_.items():
            query = ask(TEN, aggregates={"x": agg(name, "value")})
            try:
                plan_aggregates(query, {"value": type_})
                served = True
            except WrongParameter:
                served = False
            needs_second = "with a second column" in _aggregate(name)[1]
            assert needs_second or served == (column in listed or "or any" in listed or "any" in listed), (name, column)
