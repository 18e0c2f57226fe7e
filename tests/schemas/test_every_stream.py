"""What holds for every stream: complete definitions, and an answer for whatever a line holds.

A new stream is found by itself; nothing needs to be added here.
"""

import dataclasses
import pickle
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.schemas.errors import OutsideStream
from windrow.schemas.parsing import EARLIEST_US, LATEST_US, belongs, identity_of, read_line
from windrow.schemas.registry import streams
from windrow.schemas.stream import COMMON_REFUSALS, Column, Record, Refusal
from windrow.schemas.tables import ingest_tables, silver_table
from windrow.testing.lines import choose_layout

STREAMS = [pytest.param(stream, id=name) for name, stream in streams().items()]
LAYOUTS = [
    pytest.param(stream, layout, id=f"{name}-{layout.name}")
    for name, stream in streams().items()
    for layout in stream.layouts
]
EXAMPLES = [each for each in LAYOUTS if each.values[1].example]
PYTHON_TYPES = {"string": str, "int64": int, "float64": float, "bool": bool, "timestamp": int, "date": date}
# What lines are made of, apart from any text: numbers at the edges of their types, odd times, broken quotes.
PIECES = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20),
    st.integers().map(str),
    st.floats().map(repr),
    st.integers(-2, 2).map(lambda n: str(2**63 + n)),
    st.datetimes().map(lambda at: f"{at:%Y-%m-%d %H:%M:%S}".rjust(19, "0")),
    st.datetimes().map(lambda at: f"{at:%Y-%m-%d %H:%M:%S.%f}".rjust(26, "0")),
    st.sampled_from(["", '"', '""', '"a', "nan", "inf", "-0.0", "1e999", "0", "1", "Subscriber", "\r", "\t", "\ufeff"]),
    st.sampled_from(["9999-12-31 23:59:59", "0001-01-01 00:00:00"]),
)


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_can_be_sent_to_other_processes(stream):
    """Big files are parsed by several processes; a lambda could not be sent there."""
    assert pickle.loads(pickle.dumps(stream)) == stream


@pytest.mark.parametrize("stream", STREAMS)
def test_the_definition_says_everything_that_users_read(stream):
    texts = [getattr(stream, name) for name in ("title", "source", "zone", "clock_rule", "start_meaning",
                                                "arrival_meaning", "why_these_days")]  # fmt: skip
    texts += [column.meaning for column in stream.columns] + [why for _, why in stream.not_events]
    assert all(text.strip() and "TODO" not in text for text in (*texts, *stream.refusals.values()))
    assert not set(stream.refusals) & set(COMMON_REFUSALS)
    assert stream.buckets >= 1
    assert stream.last_day is None or stream.first_day <= stream.last_day


@pytest.mark.parametrize("stream", STREAMS)
def test_the_last_day_of_the_calendar_is_no_day_of_a_stream(stream):
    endless = dataclasses.replace(stream, last_day=None)
    endless.require_day(date(9999, 12, 30))
    with pytest.raises(OutsideStream, match="9999-12-31 is not a day .* to 9999-12-30; choose"):
        endless.require_day(date(9999, 12, 31))
    assert endless.arrivals_us[1] == LATEST_US - 86_400_000_000


@pytest.mark.parametrize("stream", STREAMS)
def test_columns_are_named_once_and_key_and_identity_are_columns(stream):
    names = [column.name for column in silver_table(stream).columns]
    assert len(names) == len(set(names))
    identities = [layout.identity for layout in stream.layouts]
    assert stream.key and {"line", None}.issuperset(each for each in identities if not isinstance(each, tuple))
    identified = {name for each in identities if isinstance(each, tuple) for name in each}
    assert {*stream.key, *identified} <= {column.name for column in stream.columns}


@pytest.mark.parametrize("stream", STREAMS)
def test_every_column_of_every_table_has_a_known_type_and_a_meaning(stream):
    for table in ingest_tables(stream):
        assert all(column.type in PYTHON_TYPES and column.meaning for column in table.columns), table.name
        assert {*table.partition_by, *table.sort_by} <= set(table.column_names), table.name


@pytest.mark.parametrize(("stream", "layout"), LAYOUTS)
@settings(deadline=None)
@given(data=st.data())
def test_whatever_a_line_holds_it_becomes_readings_or_refusals_and_never_an_error(stream, layout, data):
    count = layout.fields or data.draw(st.integers(1, 30))
    fields = data.draw(st.lists(PIECES, min_size=count, max_size=count) | st.lists(PIECES, max_size=30))
    text = layout.delimiter.join(fields).replace("\n", "").replace("\0", "")
    parsed = read_line(stream, layout, text)
    assert parsed
    for each in parsed:
        check_reading(stream, each) if isinstance(each, Record) else check_refusal(stream, each)
        if isinstance(each, Refusal) and each.reason == "unreadable":
            assert names_a_value(each.detail, text.split(layout.delimiter))
        if isinstance(each, Record) and layout.identity is not None:
            assert len(identity_of(stream, layout, text, each)) == 32


def names_a_value(detail: str, fields: list[str]) -> bool:
    """A text, or that it is empty."""
    return any(field and repr(field[:60])[1:-1] in detail for field in fields) or "''" in detail or "is empty" in detail


def check_reading(stream, reading: Record) -> None:
    """Everything that silver demands of an event."""
    assert EARLIEST_US <= reading.start_us <= reading.end_us <= LATEST_US
    assert stream.arrivals_us[0] <= reading.arrival_us <= stream.arrivals_us[1]
    assert len(reading.values) == len(stream.columns)
    for column, value in zip(stream.columns, reading.values, strict=True):
        check_value(column, value)


def check_value(column: Column, value: object) -> None:
    if value is None:
        assert column.nullable, column.name
        return
    assert type(value) is PYTHON_TYPES[column.type], column.name
    if column.type in ("int64", "float64"):
        least = -(2**63) if column.low is None else column.low
        greatest = 2**63 - 1 if column.high is None else column.high
        assert column.type == "float64" and column.low is None or least <= value <= greatest, column.name
        assert value == value and abs(value) != float("inf"), column.name


def check_refusal(stream, refusal: Refusal) -> None:
    assert refusal.reason in COMMON_REFUSALS or refusal.reason in stream.refusals
    assert refusal.detail
    assert refusal.arrival_us is None or EARLIEST_US <= refusal.arrival_us <= LATEST_US


def test_common_refusals_come_in_their_stated_order():
    """A record that is wrong in several ways is refused for the first of COMMON_REFUSALS."""
    stream = next(iter(streams().values()))
    columns = tuple(Column(name, "int64", name, low=0, nullable=False) for name in "ab")
    strict = dataclasses.replace(stream, columns=columns)
    first_us, later_us, layout = stream.arrivals_us[0], stream.arrivals_us[0] + 86_400_000_000, stream.layouts[0]
    wrong = [
        (Record(later_us, first_us, first_us, (-1, None)), "unreadable"),
        (Record(later_us, first_us, first_us, (-1, 0)), "out of range"),
        (Record(later_us, first_us, first_us - 1, (0, 0)), "out of range"),
        (Record(later_us, first_us, first_us, (0, 0)), "end before start"),
        (Record(later_us, later_us, first_us, (0, 0)), "too far ahead"),
    ]
    for reading, reason in wrong:
        found = dataclasses.replace(layout, fields=1, parse=lambda fields, place, found=reading: [found])
        assert [refusal.reason for refusal in read_line(strict, found, "x")] == [reason]


@pytest.mark.parametrize("stream", STREAMS)
def test_no_number_is_so_large_that_some_thousands_add_up_beyond_int64_and_a_unit_in_its_name_is_its_unit(stream):
    endings = {"_s": "s", "_us": "microseconds", "_ms": "ms", "_bytes": "bytes"}
    for column in stream.columns:
        unit = next((unit for ending, unit in endings.items() if column.name.endswith(ending)), column.unit)
        assert column.unit == unit, column.name
    numbers = [column for column in stream.columns if column.type in ("int64", "float64")]
    assert numbers
    for column in numbers:
        assert column.low is not None and column.high is not None and column.low < column.high, column.name
        assert max(-column.low, column.high) * 4_000 < 2**63, column.name


@pytest.mark.parametrize("stream, layout", EXAMPLES)
def test_the_example_of_a_layout_is_a_line_of_it_that_is_events(stream, layout):
    place, line = layout.example
    first_line = layout.delimiter.join(layout.header) if layout.header else line
    assert belongs(stream, place.path) and choose_layout(stream, place.path, first_line) is layout
    records = read_line(stream, layout, line, place)
    assert records and all(isinstance(each, Record) for each in records)
