"""A Parquet file's rows as lines of JSON: every type has one text, and what can't be read is damage."""

import io
import json
from datetime import date, time
from decimal import Decimal
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.ingest.parquet_rows import DamagedParquet, json_lines

TENTH_US = 1_714_557_600_100_000


def packed(columns: dict, **options) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return io.BytesIO(file.getvalue())


def lines_of(columns: dict, **options) -> list[dict]:
    return [json.loads(line) for line in b"".join(json_lines(packed(columns, **options))).splitlines()]


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (2**63 - 1, pa.int64(), 2**63 - 1),
        (2**64 - 1, pa.uint64(), 2**64 - 1),
        (0.1, pa.float64(), 0.1),
        (float("nan"), pa.float64(), "nan"),
        (float("-inf"), pa.float64(), "-inf"),
        (True, pa.bool_(), True),
        (None, pa.string(), None),
        ("a\nb\0é", pa.string(), "a\nb\0é"),
        ("a", pa.dictionary(pa.int8(), pa.string()), "a"),
        (b"\xff\x00a", pa.binary(), "\\xff\0a"),
        (Decimal("1.50"), pa.decimal128(10, 2), "1.50"),
        (UUID(int=7).bytes, pa.uuid(), str(UUID(int=7))),
        (date(2024, 5, 1), pa.date32(), "2024-05-01"),
        (time(10, 0, 0, 5), pa.time64("us"), "10:00:00.000005"),
        (TENTH_US, pa.timestamp("us"), "2024-05-01 10:00:00.1"),
        (TENTH_US // 1_000_000, pa.timestamp("s"), "2024-05-01 10:00:00"),
        (TENTH_US * 1_000 + 1, pa.timestamp("ns"), "2024-05-01 10:00:00.100000001"),
        (TENTH_US, pa.timestamp("us", "America/New_York"), "2024-05-01 10:00:00.1Z"),
        (TENTH_US * 1_000 + 1, pa.timestamp("ns", "UTC"), "2024-05-01 10:00:00.100000001Z"),
        ([{"id": [1, None]}], pa.list_(pa.struct({"id": pa.list_(pa.int8())})), [{"id": [1, None]}]),
        ({"a": 1}, pa.map_(pa.string(), pa.int8()), [["a", 1]]),
    ],
    ids=str,
)
def test_a_value_has_one_text_whatever_the_file_s_form(value, type_, text):
    column = {"value": pa.array([value, value], type_)}
    assert lines_of(column) == [{"value": text}] * 2
    assert lines_of(column, compression="none", row_group_size=1) == [{"value": text}] * 2


def test_columns_are_in_the_file_s_order_and_a_row_is_one_line():
    [content] = json_lines(packed({"b": ["x\ny"], "a": [1]}))
    assert content == b'{"b": "x\\ny", "a": 1}\n'


def test_many_rows_come_in_pieces():
    pieces = list(json_lines(packed({"n": range(2_500)})))
    assert [piece.count(b"\n") for piece in pieces] == [1_000, 1_000, 500]
    long = packed({"text": [f"{number:0200000}" for number in range(1_000)]}, use_dictionary=False)
    assert max(piece.count(b"\n") for piece in json_lines(long)) < 200


def test_what_is_no_whole_parquet_file_is_damage():
    whole = packed({"n": list(range(1_000))}).getvalue()
    torn = whole[:40] + bytes(400) + whole[440:]
    for content in (b"", b"PAR1", b"station,start\n", whole[:-9], whole[:100], torn):
        with pytest.raises(DamagedParquet):
            list(json_lines(io.BytesIO(content)))


def test_two_columns_of_one_name_are_damage_and_so_is_a_type_without_a_text():
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    file = io.BytesIO()
    pq.write_table(twice, file)
    with pytest.raises(DamagedParquet, match="more than one of its columns is named 'a'"):
        list(json_lines(file))
    with pytest.raises(DamagedParquet, match="values of type timedelta"):
        list(json_lines(packed({"length": pa.array([1], pa.duration("us"))})))
    of_day = pa.list_(pa.time64("ns"))
    with pytest.raises(DamagedParquet, match="column 'at' holds times of day in nanoseconds"):
        list(json_lines(packed({"at": pa.array([[1]], of_day)})))
