"""A landed file's content, whatever it is packed in: gzip, zstd, a zip of one file, UTF-16, rows of Parquet.

A name says how a file is packed; a mark at the beginning, that text is UTF-16 or UTF-32, which is read as UTF-8. A file
that is packed in what its name doesn't say is refused as what it is.

The content of a Parquet file is its rows, as lines of JSON. The text of a value must be the same for ever: the hash of
the content and the identity of equal lines are made of it. A column is a member of the row's object, in the order of
the file. Times are ISO texts with up to nine decimals, instants in UTC with a Z; numbers that JSON has none for are
texts, as are decimals, dates, bytes and UUIDs.
"""

import codecs
import gzip
import hashlib
import json
import math
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import IO
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from windrow.pipelines import storage
from windrow.pipelines.location import Location
from windrow.pipelines.rows.arrays import plain_rows

# Real files unpack to 5 to 20 times their size; a bomb, to 1,000 times, would fill the disk with refused lines.
BOMB_BYTES, BOMB_RATIO = 32 << 20, 100
CHUNK_BYTES = 1 << 16  # no more lines than that come at once
_ROWS_PER_PIECE = 1_000


class Unreadable(ValueError):
    """The file is damaged, is packed in another way than its name says, or holds what has no text."""


# Longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_PACKINGS = {"gz": "gzip", "zst": "zstd", "zip": "zip"}
# What libraries raise for a damaged file. Those of zip and zstd raise errors of any kind; Arrow's is an OSError too.
_DAMAGE = {
    "gz": (EOFError, zlib.error, gzip.BadGzipFile),
    "zst": (Exception,),
    "zip": (Exception,),
    "parquet": (pa.ArrowException, OSError),
}
_PASSING = (TimeoutError, ConnectionError)
_MAGIC = {b"\x1f\x8b\x08": "gz", b"\x28\xb5\x2f\xfd": "zst", b"PK\x03\x04": "zip"}


class UnpackedFile:
    """A landed file's content, read once, in pieces; `sha256` and `bytes` are of what was read so far: at the end its
    reader knows whether it read what had landed. The content counts, not the bytes on disk: a file that is packed anew,
    or next to its packed copy, holds nothing new."""

    def __init__(self, place: Location):
        self.place, self.sha256, self.bytes = place, hashlib.sha256(), 0

    def __iter__(self) -> Iterator[bytes]:
        with self.place.open("rb") as raw:
            packed_bytes = storage.state(self.place).file_bytes
            # An empty file is empty, whatever its name.
            for piece in content(self.place.name, raw) if packed_bytes else ():
                self.bytes += len(piece)
                if self.bytes > BOMB_BYTES and self.bytes > BOMB_RATIO * packed_bytes:
                    raise Unreadable(
                        f"it unpacks to more than {BOMB_RATIO} times its size, and to more than "
                        f"{BOMB_BYTES >> 20} MiB; if that is right, land it unpacked (Parquet: as lines of JSON)"
                    )
                self.sha256.update(piece)
                yield piece


def content(name: str, file: IO[bytes]) -> Iterator[bytes]:
    """The content of an open file of that name, in pieces. OSError where the disk or the network fails, Unreadable
    where the file does. O(bytes)."""
    ending = name.rsplit(".", 1)[-1]
    if ending == "parquet":
        return json_lines(file)
    return _as_utf_8(_unpacked(ending, file) if ending in _PACKINGS else _plain(file))


def _plain(file: IO[bytes]) -> Iterator[bytes]:
    first = file.read(CHUNK_BYTES)
    for magic, ending in _MAGIC.items():
        if first.startswith(magic):
            raise Unreadable(f"it is packed, and its name doesn't say so: rename it to end with .{ending}")
    return chain([first] if first else [], _pieces(file.read))


def _pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    return iter(partial(read, CHUNK_BYTES), b"")


def _unpacked(ending: str, file: IO[bytes]) -> Iterator[bytes]:
    with _damage_told(ending, f"{_PACKINGS[ending]} can't unpack it"):
        if ending == "zip":
            yield from _of_zip(file)
        else:
            opened = gzip.GzipFile(fileobj=file) if ending == "gz" else pa.CompressedInputStream(file, "zstd")
            yield from _pieces(opened.read)


def _of_zip(file: IO[bytes]) -> Iterator[bytes]:
    with zipfile.ZipFile(file) as packed:
        # macOS puts a folder of its own beside the files.
        names = [each for each in packed.namelist() if not each.endswith("/") and not each.startswith("__MACOSX/")]
        if len(names) != 1:
            some = ", ".join(map(ascii, names[:3]))
            raise Unreadable(
                f"it holds {len(names)} files ({some}), and may hold only one; land each of them by itself"
            )
        with packed.open(names[0]) as unpacked:
            yield from _pieces(unpacked.read)


@contextmanager
def _damage_told(ending: str, what: str) -> Iterator[None]:
    """Unreadable for a damaged file; errors of the disk and of the network pass, as the next ingest may read it."""
    try:
        yield
    except Unreadable:
        raise
    except _DAMAGE[ending] as error:
        for each in (error, error.__context__):
            if isinstance(each, OSError) and (each.errno is not None or isinstance(each, _PASSING)):
                raise each from None
        raise Unreadable(f"{what}: {error}; land it whole, or unpacked") from error


def _as_utf_8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    first = next(pieces, b"")
    encoding = next((name for mark, name in _MARKS.items() if first.startswith(mark)), None)
    if encoding is None:
        yield from chain([first] if first else [], pieces)
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for piece in chain([first], pieces):
            yield decoder.decode(piece).encode(errors="backslashreplace")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise Unreadable(f"it begins as {encoding.upper()}, and is not: {error}") from error


def json_lines(file: IO[bytes]) -> Iterator[bytes]:
    """The rows of an open file, some at a time and fewer where they are long, each with an LF. OSError where the disk
    fails, Unreadable for all else. O(values)."""
    with _damage_told("parquet", "it can't be read as Parquet"):
        parquet = pq.ParquetFile(file)
        _require_texts(parquet.schema_arrow)
        for batch in storage.batches(parquet, _ROWS_PER_PIECE):
            rows = plain_rows(pa.Table.from_batches([batch]))
            texts = (json.dumps(_in_json(row), ensure_ascii=False, allow_nan=False) for row in rows)
            yield "".join(f"{text}\n" for text in texts).encode(errors="backslashreplace")


def _require_texts(schema: pa.Schema) -> None:
    twice = [name for name, times in Counter(schema.names).items() if times > 1]
    if twice:
        raise Unreadable(f"more than one of its columns is named {', '.join(map(repr, twice))}")
    for field in schema:
        # Python's times of day have no nanoseconds: Arrow would cut them off without a word.
        if str(pa.time64("ns")) in str(field.type):
            raise Unreadable(f"column {field.name!r} holds times of day in nanoseconds; write it in microseconds")


def _in_json(value: object) -> object:
    """The value in JSON's own types."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {name: _in_json(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_in_json(inner) for inner in value]
    if isinstance(value, datetime):
        return _time_text(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if isinstance(value, Decimal):
        return format(value, "f")
    raise Unreadable(f"its rows have values of type {type(value).__name__}, for which JSON has no text")


def _time_text(value: datetime) -> str:
    # pandas' times, which Arrow gives where there are nanoseconds, have them apart.
    nanoseconds = f"{getattr(value, 'nanosecond', 0):03}"
    plain = value if value.tzinfo is None else value.astimezone(UTC)
    digits = f"{plain.microsecond:06}{nanoseconds}".rstrip("0")
    seconds = f"{plain.year:04}-{plain:%m-%d %H:%M:%S}"
    return f"{seconds}{'.' if digits else ''}{digits}{'' if value.tzinfo is None else 'Z'}"
