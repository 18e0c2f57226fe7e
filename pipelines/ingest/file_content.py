"""Content of landed files: what one read of a whole file finds, and the row of `files_<stream>` that it begins with.

A file is known by the hash of its content, unpacked. Content is read where size or modification time are not what they
were.
"""

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import chain, repeat
from typing import NamedTuple, TypeVar

from windrow.pipelines import storage
from windrow.pipelines.ingest.files import ACCEPTED, EMPTY, NO_EVENTS, UNREADABLE, FileRow
from windrow.pipelines.ingest.lines import Lines, lines, records
from windrow.pipelines.ingest.packings import UnpackedFile, Unreadable
from windrow.pipelines.location import Location
from windrow.pipelines.storage import NS_PER_S
from windrow.schemas.layouts import Chooser
from windrow.schemas.parsing import no_events
from windrow.schemas.stream import Stream

Taken = TypeVar("Taken")
TICK_NS, WHOLE_SECONDS_NS = 20_000_000, 2 * NS_PER_S


class Content(NamedTuple):
    """What a read of a file's content found: SHA-256 and size of it unpacked, or of an unreadable file's bytes; size on
    disk; modification time, None where a later change could leave the same."""

    content_hash: str
    file_bytes: int
    content_bytes: int
    modified_ns: int | None


class LeftOut(Exception):
    """This file can't be taken now; the next ingest looks at it again."""


def content_hash(root: Location, path: str) -> str | None:
    """Of a landed file, read to its end; None where it can't be read now, or changes meanwhile."""
    try:
        return _read(root, path, lambda pieces: deque(pieces, maxlen=0))[0].content_hash
    except (OSError, LeftOut):
        return None


def inspect(root: Location, stream: Stream, today: date, path: str) -> FileRow | LeftOut:
    """The row of a file before its lines are parsed, from one read to its end; why it is left out where it can't be
    opened or changes meanwhile."""
    chooser = Chooser(stream, path)
    try:
        content, count, unreadable = _read(root, path, partial(_count, chooser))
    except OSError as error:
        return LeftOut(f"{path}: left out, it can't be read ({error.strerror})")
    except LeftOut as left_out:
        return left_out
    row = FileRow(path=path, landed_date=today, state=ACCEPTED, lines=count or 0, **content._asdict())
    if why := no_events(stream, path):
        return replace(row, state=NO_EVENTS, detail=why)
    if unreadable:
        return replace(row, state=UNREADABLE, detail=unreadable, readings=1, quarantined=1)
    if not count:
        return replace(row, state=EMPTY, detail="the file holds no lines")
    layout = chooser.layout
    return replace(row, layout=layout.name) if layout else replace(row, detail=chooser.why)


def inspect_share(root: Location, stream: Stream, today: date, paths: Sequence[str]) -> list[FileRow | LeftOut]:
    """Each of these files as `inspect` finds it."""
    return [inspect(root, stream, today, path) for path in paths]


def _count(chooser: Chooser, pieces: Iterable[bytes]) -> int:
    """How many lines, or records, a file's content has, by whose lines its layout is chosen."""
    parts = _shown(chooser, lines(pieces))
    first = next(parts, None)  # by which lines are known that end records
    if first is None:
        return 0
    return sum(len(part.texts) for part in records(chain([first], parts), chooser.layout))


def _shown(chooser: Chooser, parts: Iterable[Lines]) -> Iterator[Lines]:
    for part in parts:
        damage = part.damage or repeat(None)
        chooser.take(None if wrong else text for text, wrong in zip(part.texts, damage, strict=False))
        yield part


def _read(
    root: Location, path: str, take: Callable[[Iterable[bytes]], Taken]
) -> tuple[Content, Taken | None, str | None]:
    """A file's content, what `take` made of its pieces, and why it is unreadable, if it is. OSError; LeftOut when it
    changes meanwhile."""
    place, began_ns = root / path, time.time_ns()
    before, content = storage.state(place), UnpackedFile(place)
    digest, taken, unreadable = content.sha256, None, None
    try:
        taken = take(content)
    except Unreadable as error:
        unreadable = str(error)
        with place.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")  # type: ignore[arg-type]
    after = storage.state(place)
    if before != after:
        raise LeftOut(f"{path}: left out, it changed while it was read; the next ingest takes it")
    size = after.file_bytes if unreadable else content.bytes
    return Content(digest.hexdigest(), after.file_bytes, size, _modified_ns(after, began_ns)), taken, unreadable


def _modified_ns(found: storage.FileState, began_ns: int) -> int | None:
    """The modification time, if a writer that changes the file from now on gives it another.

    A file system writes the time of its last tick, 10 ms ago or less, FAT and ext3 that of the last second or two: a
    file that changes again right after it was read may keep its time, and its size. As Git does with what it calls
    racily clean, the time of a file that is too young is not believed: its content is read again by the next ingest.
    """
    tick_ns = WHOLE_SECONDS_NS if found.modified_ns % NS_PER_S == 0 else TICK_NS
    return found.modified_ns if found.modified_ns + tick_ns < began_ns else None
