"""From a landed file's bytes to its lines as received: unpacked, split, and damage marked; of Parquet, a line is a row
as JSON. Memory is bounded.

A file is read by `chunks`, which feeds its content into a digest: whoever read the file to its end knows whether it
read what had landed. The content counts, not the bytes on disk: a file that is packed anew, or next to its packed copy,
holds nothing new.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from pipelines import storage
from pipelines.ingest.packings import WrongPacking, content
from pipelines.location import Location
from schemas.stream import KEPT_CHARACTERS

LINE_LIMIT_BYTES = 1 << 20
# Real files unpack to 5 to 20 times their size; a bomb, to 1,000 times, would fill the disk with refused lines.
BOMB_BYTES, BOMB_RATIO = 32 << 20, 100


class Lines(NamedTuple):
    """Some lines of a file, in order. `damage` has a reason per line, or is None where no line is damaged."""

    texts: list[str]
    damage: list[str | None] | None


class Digest(Protocol):
    """What hashlib makes."""

    def update(self, data: bytes, /) -> None:
        """Take these bytes in."""


def chunks(path: Location, digest: Digest) -> Iterator[bytes]:
    """The file's content (unpacked as its name says, rows as lines of JSON where it ends with .parquet) in pieces, each
    of which the digest gets too."""
    with path.open("rb") as raw:
        unpacked, packed = 0, storage.state(path).file_bytes
        # An empty file is empty, whatever its name.
        for chunk in content(path.name, raw) if packed else ():
            unpacked += len(chunk)
            if unpacked > BOMB_BYTES and unpacked > BOMB_RATIO * packed:
                raise WrongPacking(
                    f"it unpacks to more than {BOMB_RATIO} times its size, and to more than "
                    f"{BOMB_BYTES >> 20} MiB; if it is no bomb, land it unpacked (Parquet: as lines of JSON)"
                )
            digest.update(chunk)
            yield chunk


def lines(pieces: Iterable[bytes]) -> Iterator[Lines]:
    """Lines of a file's content, a piece at a time; ends with LF or CRLF, the last one also without."""
    carry = b""
    for piece in pieces:
        block = carry + piece
        end = block.rfind(b"\n")
        if end >= 0:
            yield _decode(block[:end])
        # More than the limit need not be carried: the line is refused, and its length is not reported.
        carry = block[end + 1 : end + 2 + LINE_LIMIT_BYTES]
    if carry:
        yield _decode(carry)


def _decode(block: bytes) -> Lines:
    try:
        texts = block.decode().split("\n")
    except UnicodeDecodeError:
        return _decode_each(block)
    # A character has at most four bytes: below a quarter of the limit no line needs to be measured in bytes.
    if b"\0" in block or max(map(len, texts)) > LINE_LIMIT_BYTES // 4:
        return _decode_each(block)
    return Lines([text.removesuffix("\r") for text in texts] if b"\r" in block else texts, None)


def _decode_each(block: bytes) -> Lines:
    texts, damage = zip(*map(_decode_one, block.split(b"\n")), strict=True)
    return Lines(list(texts), list(damage))


def _decode_one(line: bytes) -> tuple[str, str | None]:
    line = line.removesuffix(b"\r")
    if len(line) > LINE_LIMIT_BYTES:
        return _escape(line[: 4 * KEPT_CHARACTERS])[:KEPT_CHARACTERS], "line too long"
    if b"\0" in line:
        return _escape(line), "NUL byte"
    try:
        return line.decode(), None
    except UnicodeDecodeError:
        return _escape(line), "not UTF-8"


def _escape(line: bytes) -> str:
    return line.decode(errors="backslashreplace").replace("\0", "\\x00")
