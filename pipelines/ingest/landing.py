"""Landing: which files of the landing folder belong to a stream, each known by its path below that folder.

Nothing is skipped silently: links, special files, files that are still being written, and files that no layout of the
stream names come out as messages; so do those where no stream looks, for a folder with a typing error in its name would
else never be heard of.
"""

import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path

from windrow.pipelines import storage
from windrow.pipelines.ingest.files import FileRow
from windrow.pipelines.location import Location
from windrow.schemas.errors import LandingFailed, NotSetUp
from windrow.schemas.parsing import belongs, no_events
from windrow.schemas.registry import broken_streams, streams
from windrow.schemas.stream import Stream

UNPRINTABLE = "its name is not printable UTF-8; rename it"
TAKEN_AWAY = "it was taken away meanwhile"
FOLDER = "it is a folder with a file's name; put the file itself there, or rename the folder"
HIDDEN = "it is hidden, since its name or a folder's begins with a dot; rename it if it is to be taken"
HALF_WRITTEN = "its name says that it is still being written; its writer renames it at the end"
# Of editors, browsers, file transfers and Spark's jobs.
_UNFINISHED = re.compile(
    r".*(~|[.](part|partial|filepart|tmp|temp|crdownload|download|inprogress|_copying_|swp|lock))(/.*)?"
    r"|(.*/)?(~[$]|_temporary/).*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Listing:
    """What lies in the landing folder for one stream: its files' states by path below the folder, sorted by the paths'
    bytes; and of files that are left out a message each, with the reason."""

    states: Mapping[str, storage.FileState]
    messages: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Of all that are not left out, those that hold no events among them."""
        return tuple(self.states)

    def is_untouched(self, row: FileRow) -> bool:
        """Whether the row's file has the size and the modification time that it had when its content was read."""
        now = self.states.get(row.path)
        return now is not None and (now.file_bytes, now.modified_ns) == (row.file_bytes, row.modified_ns)


def listing(root: Location, stream: Stream) -> Listing:
    """The stream's files below the landing folder. NotSetUp where there is none, LandingFailed where it can't be
    read. O(files · patterns + files · log files)."""
    if not root.is_dir():
        # Not LandingFailed: the folder won't appear by itself, so trying again doesn't help.
        raise NotSetUp(f"the landing folder {root} does not exist", f"mkdir -p {root}   # or set WINDROW_LANDING")
    tops = {pattern.split("/")[0] for layout in stream.layouts for pattern in layout.paths}
    states, messages, foreign = {}, [], []
    found = (_looked_at(root, each) for each in storage.entries(root, _refuse_folder))
    for path, state in sorted(found, key=lambda each: os.fsencode(each[0])):
        ours = _is_of(stream, path)
        is_anothers = not ours and any(_is_of(other, path) for other in streams().values())
        if not ours and (state == FOLDER or path.split("/")[0] not in tops or is_anothers):
            foreign += [path] if state != FOLDER else []
        elif isinstance(state, str):
            messages.append(f"{ascii(path) if state == UNPRINTABLE else path}: left out, {state}")
        elif ours:
            states[path] = state
        else:
            messages.append(f"{path}: left out, stream {stream.name!r} has no layout for files of that name")
    return Listing(states, (*messages, *_unread(foreign)))


def _is_of(stream: Stream, path: str) -> bool:
    return belongs(stream, path) or no_events(stream, path) is not None


def _unread(foreign: Iterable[str]) -> list[str]:
    """A message of each topmost folder in which no stream reads anything."""
    known = streams().values()
    paths = [each.paths for stream in known for each in stream.layouts]
    paths += [each.paths for stream in known for each in stream.side_inputs]
    patterns = (*chain.from_iterable(paths), *(pattern for stream in known for pattern, _ in stream.not_events))
    read = {pattern.split("/")[0] for pattern in patterns}
    found: dict[str, list[str]] = {}
    for path in foreign:
        found.setdefault(path.split("/")[0], []).append(path)
    broken = f", except perhaps {', '.join(broken_streams())}, whose definition is broken" if broken_streams() else ""
    place = {True: "files outside of folders", False: "that folder"}
    return [
        f"{_shown(paths)}: left out, since no stream reads {place[paths == [top]]}{broken}"
        for top, paths in sorted(found.items())
        if top not in read and not any(fnmatchcase(top, pattern) for pattern in read)
    ]


def _shown(paths: list[str]) -> str:
    first = paths[0] if paths[0].isprintable() else ascii(paths[0])
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1:,} more"


def _looked_at(root: Location, entry: storage.Listed) -> tuple[str, storage.FileState | str]:
    """The path below the landing folder, and the file's state, or why it is no file to read."""
    problem = _problem(root, entry.place) or _problem_of_name(entry.below) if entry.below.isprintable() else UNPRINTABLE
    try:
        return entry.below, problem or entry.state or storage.state(entry.place)
    except OSError:
        return entry.below, TAKEN_AWAY


def _refuse_folder(error: OSError) -> None:
    raise LandingFailed(f"folder {error.filename} can't be read ({error.strerror}); give read access to it") from error


def _problem_of_name(path: str) -> str | None:
    if any(part.startswith(".") for part in path.split("/")):
        return HIDDEN
    return HALF_WRITTEN if _UNFINISHED.fullmatch(path) else None


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
