"""A file's content is the same however it is packed, and what can't be unpacked is damage, in words."""

import gzip
import io
import random
import zipfile

import pyarrow as pa
import pytest

from pipelines.ingest.packings import UNREADABLE_FILE, WrongPacking, content
from pipelines.ingest.parquet_rows import json_lines

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
        except UNREADABLE_FILE as damage:
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
        ("x.zip", zipped(("a.csv", "b.csv")), r"holds 2 files \('a.csv', 'b.csv'\), and one is read; land each"),
        ("x.zip", zipped(()), "holds 0 files"),
        ("x.zip", encrypted(), "zip can't unpack it: .*password required.*; land it whole, or unpacked"),
        ("x.zip", TEXT.encode(), "zip can't unpack it: File is not a zip file"),
        ("x.csv.zst", TEXT.encode(), "zstd can't unpack it: "),
        ("x.csv.zst", PACKED["zstd"][1][:-3], "zstd can't unpack it: Truncated"),
        ("x.csv", zipped(), r"its name doesn't say so: let it end with \.zip"),
        ("x.csv", PACKED["zstd"][1], r"let it end with \.zst"),
        ("x.csv", PACKED["gzip"][1], r"let it end with \.gz"),
        ("x.csv", TEXT.encode("utf-16")[:-1], "it begins as UTF-16, and is not: "),
    ],
    ids=range(10),
)
def test_what_can_not_be_read_is_refused_as_what_it_is(name, packed, why):
    with pytest.raises(WrongPacking, match=why):
        read(name, packed)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.csv.zst", "x.zip", "rows of Parquet"])
def test_a_failure_of_the_disk_is_no_damage(name):
    class Failing(io.BytesIO):
        def read(self, *_):
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output error"):
        list(json_lines(Failing(zipped())) if name == "rows of Parquet" else content(name, Failing(zipped())))
