"""Landing: which files of the landing folder belong to a stream, and what each of them is.

A file is known by its path below the landing folder and the hash of its content, unpacked. Content is read where size
or modification time are not what they were. Nothing is skipped silently: links, special files, and files that no layout
of the stream names come out as messages.
"""

import hashlib
import os
import stat
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import NamedTuple

from pipelines import storage
from pipelines.delta.lake import Lake
from pipelines.engines.engine import Engine
from pipelines.engines.shares import packed
from pipelines.ingest.lines import Lines, chunks, lines
from pipelines.ingest.names import problem_of_name
from pipelines.ingest.packings import CHUNK_BYTES, UNREADABLE_FILE
from pipelines.ingest.records import records
from pipelines.ingest.unread import Unread
from pipelines.location import Location
from pipelines.storage import NS_PER_S
from schemas.errors import LandingFailed, NotSetUp
from schemas.layouts import Chooser
from schemas.parsing import belongs, no_events
from schemas.registry import streams
from schemas.stream import Layout, Stream

UNPRINTABLE = "its name is not printable UTF-8; rename it"
TICK_NS, WHOLE_SECONDS_NS = 20_000_000, 2 * NS_PER_S
TAKEN_AWAY = "it was taken away meanwhile"
FOLDER = "it is a folder with a file's name; put the file itself there, or rename the folder"


@dataclass(frozen=True)
class Listing:
    """What lies in the landing folder for one stream: paths below the folder, sorted by their bytes."""

    events: tuple[str, ...]
    no_events: dict[str, str]  # path: why
    messages: tuple[str, ...]  # files that are left out, each with the reason
    states: Mapping[str, storage.FileState]  # of all that are not left out

    @property
    def paths(self) -> tuple[str, ...]:
        """Of all that are not left out."""
        return (*self.events, *self.no_events)

    def is_untouched(self, path: str, file_bytes: int, modified_ns: int | None) -> bool:
        """Whether a file has the size and the modification time that it had when its content was read."""
        now = self.states.get(path)
        return (
            now is not None
            and modified_ns is not None
            and (now.file_bytes, now.modified_ns) == (file_bytes, modified_ns)
        )


class Content(NamedTuple):
    """What a read of a file's content found: SHA-256 and size of it unpacked, or of an unreadable file's bytes; size on
    disk; modification time, None where a later change could leave the same."""

    content_hash: str
    file_bytes: int
    content_bytes: int
    modified_ns: int | None


@dataclass(frozen=True)
class Landed:
    """What one read of a whole file found. `unreadable` says why its end could not be reached."""

    path: str
    content: Content
    lines: int
    layout: Layout | None
    why_unknown: str | None  # where no layout fits
    unreadable: str | None


class LeftOut(Exception):
    """This file can't be taken now; the next ingest looks at it again."""


def listing(root: Location, stream: Stream) -> Listing:
    """The stream's files below the landing folder. NotSetUp where there is none, LandingFailed where it can't be
    read."""
    if not root.is_dir():
        # Not LandingFailed: nobody makes the folder by itself, so that trying again doesn't help.
        raise NotSetUp(f"the landing folder {root} does not exist", f"mkdir -p {root}   # or set WINDROW_LANDING")
    tops = {pattern.split("/")[0] for layout in stream.layouts for pattern in layout.paths}
    unread = Unread()
    events, skipped, messages, states = [], {}, [], {}
    for path, problem, state in _walk(root):
        why = no_events(stream, path)
        ours = why is not None or belongs(stream, path)
        if not ours and (problem == FOLDER or path.split("/")[0] not in tops or _is_anothers(path)):
            if problem != FOLDER:
                unread.note(path)
            continue
        if problem:
            messages.append(f"{ascii(path) if problem == UNPRINTABLE else path}: left out, {problem}")
        elif why:
            skipped[path] = why
        elif ours:
            events.append(path)
        else:
            messages.append(f"{path}: left out, stream {stream.name!r} has no layout for files of that name")
        if state is not None:
            states[path] = state
    return Listing(tuple(events), skipped, (*messages, *unread.messages), states)


def _is_anothers(path: str) -> bool:
    return any(belongs(stream, path) or no_events(stream, path) for stream in streams().values())


class _Found(NamedTuple):
    """What lies below the landing folder, why it is no file to read, and its state if it is one."""

    path: str
    problem: str | None
    state: storage.FileState | None


def _walk(root: Location) -> Iterator[_Found]:
    found = (_looked_at(root, each) for each in storage.entries(root, _refuse_folder))
    return iter(sorted(found, key=lambda each: os.fsencode(each.path)))


def _looked_at(root: Location, entry: storage.Listed) -> _Found:
    problem = _problem(root, entry.place) or problem_of_name(entry.below) if entry.below.isprintable() else UNPRINTABLE
    if problem or entry.state:
        return _Found(entry.below, problem, entry.state)
    try:
        return _Found(entry.below, None, storage.state(entry.place))
    except OSError:
        return _Found(entry.below, TAKEN_AWAY, None)


def _refuse_folder(error: OSError) -> None:
    raise LandingFailed(f"folder {error.filename} can't be read ({error.strerror}); give read access to it") from error


def _problem(root: Location, place: Location) -> str | None:
    """Why this is no file to read; None if it is one, as all objects are."""
    if not (isinstance(root, Path) and isinstance(place, Path)):
        return None
    if place.is_symlink() and (problem := _problem_of_link(root, place)):
        return problem
    if place.is_dir():
        return FOLDER
    if not place.exists():
        return TAKEN_AWAY
    return None if stat.S_ISREG(place.stat().st_mode) else "it is not a regular file"


def _problem_of_link(root: Path, path: Path) -> str | None:
    try:
        target = path.resolve(strict=True)
    except FileNotFoundError:
        target = path.resolve()
    except (OSError, RuntimeError):  # a RuntimeError is how pathlib reports a loop
        return "a link that leads to itself or can't be followed; take it away, or put the file itself there"
    if not target.is_relative_to(root.resolve()):
        return f"a link that leads out of the landing folder, to {target}; put the file itself there"
    if target.is_dir():
        return "a link to a folder; put the folder itself there"
    return None if target.exists() else "a link to nothing"


def content_or_none(root: Location, path: str) -> Content | None:
    """Read a landed file to its end; None where it can't be read now, or changes meanwhile."""
    try:
        return _read(root, path, lambda pieces: deque(pieces, maxlen=0))[0]
    except (OSError, LeftOut):
        return None


def changed_since(root: Location, hashes: Mapping[str, str]) -> set[str]:
    """Paths whose content is another now than that with these hashes."""
    found = {path: content_or_none(root, path) for path in hashes}
    return {path for path, content in found.items() if content is None or content.content_hash != hashes[path]}


def inspect(root: Location, stream: Stream, path: str) -> Landed:
    """Read a file to its end: hash, sizes, layout, lines. LeftOut when it can't be opened or changes meanwhile."""
    found = _Lines(stream, path)
    try:
        content, unreadable = _read(root, path, found.take)
    except OSError as error:
        raise LeftOut(f"{path}: left out, it can't be read ({error.strerror})") from error
    if unreadable:
        return Landed(path, content, 0, None, None, unreadable)
    layout = found.chooser.layout
    return Landed(path, content, found.count, layout, None if layout else found.chooser.why, None)


def inspect_all(lake: Lake, engine: Engine, stream: Stream, paths: Sequence[str]) -> dict[str, Landed | LeftOut]:
    """Each of these files as `inspect` finds it, or why it is left out."""
    root, task_bytes = lake.config.landing, lake.config.task_bytes
    shares = packed({path: _bytes_now(root, path) for path in paths}, engine.slots, task_bytes) if paths else []
    found = (each for of_share in engine.each(partial(_inspect_share, root, stream), shares) for each in of_share)
    return dict(zip(paths, found, strict=True))


def _inspect_share(root: Location, stream: Stream, paths: Sequence[str]) -> list[Landed | LeftOut]:
    found: list[Landed | LeftOut] = []
    for path in paths:
        try:
            found.append(inspect(root, stream, path))
        except LeftOut as left_out:
            found.append(left_out)
    return found


def _bytes_now(root: Location, path: str) -> int:
    try:
        return storage.state(root / path).file_bytes
    except OSError:  # whoever reads it says so
        return 0


class _Lines:
    """How many lines, or records, a file's content has, and what chooses its layout by them."""

    def __init__(self, stream: Stream, path: str) -> None:
        self.count, self.chooser = 0, Chooser(stream, path)

    def take(self, pieces: Iterator[bytes]) -> None:
        parts = self._shown(lines(pieces))
        first = next(parts, None)  # by which lines are known that end records
        for part in records(parts if first is None else chain([first], parts), self.chooser.layout):
            self.count += len(part.texts)

    def _shown(self, parts: Iterable[Lines]) -> Iterator[Lines]:
        for part in parts:
            damage = part.damage or repeat(None)
            self.chooser.take(None if wrong else text for text, wrong in zip(part.texts, damage, strict=False))
            yield part


class _Digest:
    """SHA-256 and size of what it gets."""

    def __init__(self) -> None:
        self.sha256, self.bytes = hashlib.sha256(), 0

    def update(self, data: bytes, /) -> None:
        self.sha256.update(data)
        self.bytes += len(data)


def _read(root: Location, path: str, take: Callable[[Iterator[bytes]], object]) -> tuple[Content, str | None]:
    """A file's content as `take` got it in pieces, and why it is unreadable, if it is. OSError; LeftOut when it changes
    meanwhile."""
    place, digest, unreadable, began_ns = root / path, _Digest(), None, time.time_ns()
    before = storage.state(place)
    try:
        take(chunks(place, digest))
    except UNREADABLE_FILE as error:
        digest, unreadable = _Digest(), f"{type(error).__name__}: {error}"
        _digest_bytes_on_disk(place, digest)
    after = storage.state(place)
    if before != after:
        raise LeftOut(f"{path}: left out, it changed while it was read; the next ingest takes it")
    return Content(digest.sha256.hexdigest(), after.file_bytes, digest.bytes, _modified_ns(after, began_ns)), unreadable


def _digest_bytes_on_disk(place: Location, digest: _Digest) -> None:
    with place.open("rb") as file:
        while piece := file.read(CHUNK_BYTES):
            digest.update(piece)


def _modified_ns(found: storage.FileState, began_ns: int) -> int | None:
    """The modification time, if whoever changes the file from now on gives it another.

    A file system writes the time of its last tick, 10 ms ago or less, FAT and ext3 that of the last second or two: a
    file that changes again right after it was read may keep its time, and its size. As Git does with what it calls
    racily clean, the time of a file that is too young is not believed: its content is read again by the next ingest.
    """
    tick_ns = WHOLE_SECONDS_NS if found.modified_ns % NS_PER_S == 0 else TICK_NS
    return found.modified_ns if found.modified_ns + tick_ns < began_ns else None
