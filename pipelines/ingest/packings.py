"""A landed file's content, whatever it is packed in: gzip, zstd, a zip of one file, UTF-16, rows of Parquet.

A name says how a file is packed; a mark at the beginning, that text is UTF-16 or UTF-32, which is read as UTF-8. A file
that is packed in what its name doesn't say is refused as what it is.
"""

import codecs
import gzip
import hashlib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import IO

import pyarrow as pa

from pipelines import storage
from pipelines.ingest.parquet_rows import DamagedParquet, json_lines
from pipelines.location import Location

# Real files unpack to 5 to 20 times their size; a bomb, to 1,000 times, would fill the disk with refused lines.
BOMB_BYTES, BOMB_RATIO = 32 << 20, 100
CHUNK_BYTES = 1 << 16  # no more lines than that come at once


class WrongPacking(ValueError):
    """The file is packed in another way than its name says, or by one that holds more than one file."""


UNREADABLE_FILE = (EOFError, zlib.error, gzip.BadGzipFile, DamagedParquet, WrongPacking)
# Longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
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
                    raise WrongPacking(
                        f"it unpacks to more than {BOMB_RATIO} times its size, and to more than "
                        f"{BOMB_BYTES >> 20} MiB; if it is no bomb, land it unpacked (Parquet: as lines of JSON)"
                    )
                self.sha256.update(piece)
                yield piece


def content(name: str, file: IO[bytes]) -> Iterator[bytes]:
    """The content of an open file of that name, in pieces. OSError where the disk fails, one of UNREADABLE_FILE where
    the file does."""
    ending = name.rsplit(".", 1)[-1]
    if ending == "parquet":
        return json_lines(file)
    return _as_utf_8(_PACKINGS.get(ending, _plain)(file))


def _plain(file: IO[bytes]) -> Iterator[bytes]:
    first = file.read(CHUNK_BYTES)
    for magic, ending in _MAGIC.items():
        if first.startswith(magic):
            raise WrongPacking(f"it is packed, and its name doesn't say so: let it end with .{ending}")
    return chain([first] if first else [], _pieces(file.read))


def _pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    return iter(partial(read, CHUNK_BYTES), b"")


def _gunzipped(file: IO[bytes]) -> Iterator[bytes]:
    return _pieces(gzip.GzipFile(fileobj=file).read)


def _of_zstd(file: IO[bytes]) -> Iterator[bytes]:
    with _damage_told("zstd"):
        yield from _pieces(pa.CompressedInputStream(file, "zstd").read)


def _of_zip(file: IO[bytes]) -> Iterator[bytes]:
    with _damage_told("zip"), zipfile.ZipFile(file) as packed:
        # macOS puts a folder of its own beside the files.
        names = [each for each in packed.namelist() if not each.endswith("/") and not each.startswith("__MACOSX/")]
        if len(names) != 1:
            some = ", ".join(map(ascii, names[:3]))
            raise WrongPacking(f"it holds {len(names)} files ({some}), and one is read; land each of them by itself")
        with packed.open(names[0]) as unpacked:
            yield from _pieces(unpacked.read)


@contextmanager
def _damage_told(packing: str) -> Iterator[None]:
    """For a damaged file these libraries raise whatever met them; the system's errors are those with a number."""
    try:
        yield
    except WrongPacking:
        raise
    except Exception as error:
        for each in (error, error.__context__):
            if isinstance(each, OSError) and each.errno is not None:
                raise each from None
        raise WrongPacking(f"{packing} can't unpack it: {error}; land it whole, or unpacked") from error


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
        raise WrongPacking(f"it begins as {encoding.upper()}, and is not: {error}") from error


_PACKINGS: dict[str, Callable[[IO[bytes]], Iterator[bytes]]] = {"gz": _gunzipped, "zst": _of_zstd, "zip": _of_zip}
