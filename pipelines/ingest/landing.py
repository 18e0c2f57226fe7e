"""Landing: which files of the landing folder belong to a stream, and what each of them is.

A file is known by its path below the landing folder and the hash of its bytes. Nothing is skipped silently: links,
special files, and files that no layout of the stream names come out as messages.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipelines.ingest.lines import UNREADABLE_FILE, chunks, lines
from schemas.errors import LandingFailed
from schemas.parsing import belongs, no_events
from schemas.registry import streams
from schemas.stream import Stream

UNPRINTABLE = "its name is not printable UTF-8; rename it"
FOLDER = "it is a folder with a file's name; put the file itself there, or rename the folder"


@dataclass(frozen=True)
class Listing:
    """What lies in the landing folder for one stream: paths below the folder, sorted by their bytes."""

    events: tuple[str, ...]
    no_events: dict[str, str]  # path: why
    messages: tuple[str, ...]  # files that are left out, each with the reason


@dataclass(frozen=True)
class Landed:
    """What one read of a whole file found. `unreadable` says why its end could not be reached."""

    path: str
    content_hash: str
    file_bytes: int
    lines: int
    first_line: str | None  # None: there is none, or it is damaged
    unreadable: str | None


class LeftOut(Exception):
    """This file can't be taken now; the next ingest looks at it again."""


def listing(root: Path, stream: Stream) -> Listing:
    """The stream's files below the landing folder. LandingFailed when the folder can't be read."""
    if not root.is_dir():
        raise LandingFailed(f"the landing folder {root} does not exist; make it, or set WINDROW_LANDING to another")
    tops = {pattern.split("/")[0] for layout in stream.layouts for pattern in layout.paths}
    events, skipped, messages = [], {}, []
    for path, problem in _walk(root):
        why = no_events(stream, path)
        ours = why is not None or belongs(stream, path)
        if not ours and (problem == FOLDER or path.split("/")[0] not in tops or _is_anothers(path)):
            continue
        if problem:
            messages.append(f"{ascii(path) if problem == UNPRINTABLE else path}: left out, {problem}")
        elif why:
            skipped[path] = why
        elif ours:
            events.append(path)
        else:
            messages.append(f"{path}: left out, stream {stream.name!r} has no layout for files of that name")
    return Listing(tuple(events), skipped, tuple(messages))


def _is_anothers(path: str) -> bool:
    return any(belongs(stream, path) or no_events(stream, path) for stream in streams().values())


def _walk(root: Path) -> Iterator[tuple[str, str | None]]:
    found = []
    for folder, folders, names in os.walk(root, onerror=_refuse_folder):
        for name in names + folders:
            path = Path(folder, name)
            below = path.relative_to(root).as_posix()
            found.append((below, _problem(root, path) if below.isprintable() else UNPRINTABLE))
    return iter(sorted(found, key=lambda pair: os.fsencode(pair[0])))


def _refuse_folder(error: OSError) -> None:
    raise LandingFailed(f"folder {error.filename} can't be read ({error.strerror}); give read access to it") from error


def _problem(root: Path, path: Path) -> str | None:
    """Why this is no file to read; None if it is one."""
    if path.is_symlink() and (problem := _problem_of_link(root, path)):
        return problem
    if path.is_dir():
        return FOLDER
    if not path.exists():
        return "it was taken away meanwhile"
    return None if stat.S_ISREG(path.stat().st_mode) else "it is not a regular file"


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


def content_hash_or_none(root: Path, path: str) -> str | None:
    """SHA-256 of a landed file's bytes; None where it can't be read now."""
    try:
        with open(root / path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def changed_since(root: Path, hashes: dict[str, str]) -> set[str]:
    """Paths whose bytes are others now than those with these hashes."""
    return {path for path, content_hash in hashes.items() if content_hash_or_none(root, path) != content_hash}


def inspect(root: Path, path: str) -> Landed:
    """Read a file to its end: hash, size, lines. LeftOut when it can't be opened or changes meanwhile."""
    digest, count, first, unreadable = hashlib.sha256(), 0, None, None
    try:
        before = os.stat(root / path)
        try:
            for part in lines(chunks(root / path, digest)):
                if count == 0 and not (part.damage and part.damage[0]):
                    first = part.texts[0]
                count += len(part.texts)
        except UNREADABLE_FILE as error:
            count, first, unreadable = 0, None, f"{type(error).__name__}: {error}"
        after = os.stat(root / path)
    except OSError as error:
        raise LeftOut(f"{path}: left out, it can't be read ({error.strerror})") from error
    if _state(before) != _state(after):
        raise LeftOut(f"{path}: left out, it changed while it was read; the next ingest takes it")
    return Landed(path, digest.hexdigest(), after.st_size, count, first, unreadable)


def _state(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns
