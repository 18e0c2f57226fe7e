"""A file's content is the same however it is packed: text, or a Parquet file's rows as lines of JSON, where every type
has one text. What can't be read is damage, in words."""

import gzip
import io
import json
import random
import zipfile
from datetime import date, time
from decimal import Decimal
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from windrow.pipelines.ingest.packings import Unreadable, content, json_lines

TEXT = "key,value\nGrünerløkka,1\n" * 500
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def zipped(names=("x.csv",), text: str = TEXT, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as packed:
        for name in names:
            packed.writestr(name, text.encode())
    return file.getvalue()


PACKED = {
    "plain": ("x.csv", TEXT.encode()),
    "gzip": ("x.csv.gz", gzip.compress(TEXT.encode(), mtime=0)),
    "zstd": ("x.csv.zst", pa.compress(TEXT.encode(), "zstd", asbytes=True)),
    "two frames of zstd": (
        "x.zst", b"".join(pa.compress(half.encode(), "zstd", asbytes=True) for half in (TEXT[:99], TEXT[99:]))
    ),
    **{f"zip, method {method}": ("x.zip", zipped(method=method)) for method in METHODS},
    "zip of macOS": ("x.csv.zip", zipped(("of/", "of/x.csv", "__MACOSX/of/._x.csv"))),
    "UTF-16, Windows": ("x.csv", TEXT.encode("utf-16")),
    "UTF-16, big end first": ("x.csv", b"\xfe\xff" + TEXT.encode("utf-16-be")),
    "UTF-32": ("x.csv", TEXT.encode("utf-32")),
    "UTF-16 in gzip": ("x.csv.gz", gzip.compress(TEXT.encode("utf-16"), mtime=0)),
}  # fmt: skip


def read(name: str, packed: bytes) -> bytes:
    return b"".join(content(name, io.BytesIO(packed)))


@pytest.mark.parametrize("packing", PACKED)
def test_a_packing_gives_the_text(packing):
    assert read(*PACKED[packing]).decode() == TEXT


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.csv.zst", "x.csv.zip", "x.parquet"])
@pytest.mark.parametrize("error", [TimeoutError("read timed out"), ConnectionResetError("peer")])
def test_a_network_that_fails_is_no_damage_of_the_file(name, error):
    class Unreached(io.BytesIO):
        def read(self, size=-1):
            raise error

    with pytest.raises(type(error)):
        list(content(name, Unreached(b"PAR1" * 99)))


@pytest.mark.parametrize("packing", PACKED)
def test_whatever_happens_to_the_bytes_there_is_content_or_damage(packing):
    name, packed = PACKED[packing]
    chance = random.Random(packing)
    for _ in range(150):
        damaged = bytearray(packed)
        for _ in range(chance.randrange(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        cut = chance.choice([len(damaged), chance.randrange(len(damaged))])
        try:
            read(name, bytes(damaged[:cut]))
        except Unreadable as damage:
            assert str(damage)


def encrypted() -> bytes:
    """As a zip says it: a bit in both of the file's headers."""
    made = bytearray(zipped())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        made[made.index(header) + flags] |= 1
    return bytes(made)


@pytest.mark.parametrize(
    ("name", "packed", "why"),
    [
        ("x.zip", zipped(("a.csv", "b.csv")), r"holds 2 files \('a.csv', 'b.csv'\), and may hold only one; land each"),
        ("x.zip", zipped(()), "holds 0 files"),
        ("x.zip", encrypted(), "zip can't unpack it: .*password required.*; land it whole, or unpacked"),
        ("x.zip", TEXT.encode(), "zip can't unpack it: File is not a zip file"),
        ("x.csv.zst", TEXT.encode(), "zstd can't unpack it: "),
        ("x.csv.zst", PACKED["zstd"][1][:-3], "zstd can't unpack it: Truncated"),
        ("x.csv", zipped(), r"its name doesn't say so: rename it to end with \.zip"),
        ("x.csv", PACKED["zstd"][1], r"rename it to end with \.zst"),
        ("x.csv", PACKED["gzip"][1], r"rename it to end with \.gz"),
        ("x.csv", TEXT.encode("utf-16")[:-1], "it begins as UTF-16, and is not: "),
    ],
    ids=range(10),
)
def test_what_can_not_be_read_is_refused_as_what_it_is(name, packed, why):
    with pytest.raises(Unreadable, match=why):
        read(name, packed)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.csv.zst", "x.zip", "rows of Parquet"])
def test_a_failure_of_the_disk_is_no_damage(name):
    class Failing(io.BytesIO):
        def read(self, *_):
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output error"):
        list(json_lines(Failing(zipped())) if name == "rows of Parquet" else content(name, Failing(zipped())))


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
    for damaged in (b"", b"PAR1", b"station,start\n", whole[:-9], whole[:100], torn):
        with pytest.raises(Unreadable):
            list(json_lines(io.BytesIO(damaged)))


def test_two_columns_of_one_name_are_damage_and_so_is_a_type_without_a_text():
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    file = io.BytesIO()
    pq.write_table(twice, file)
    with pytest.raises(Unreadable, match="more than one of its columns is named 'a'"):
        list(json_lines(file))
    with pytest.raises(Unreadable, match="values of type timedelta"):
        list(json_lines(packed({"length": pa.array([1], pa.duration("us"))})))
    of_day = pa.list_(pa.time64("ns"))
    with pytest.raises(Unreadable, match="column 'at' holds times of day in nanoseconds"):
        list(json_lines(packed({"at": pa.array([[1]], of_day)})))
