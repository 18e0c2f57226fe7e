"""What a stream's lines are parsed by: its definition, and the side inputs that lie in the landing folder."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pipelines.ingest.file_content import hash_now
from pipelines.ingest.files import FileRow
from pipelines.ingest.landing import Listing
from pipelines.ingest.lines import lines
from pipelines.ingest.packings import UNREADABLE_FILE, UnpackedFile
from pipelines.location import Location
from schemas.errors import LandingFailed
from schemas.parsing import matches
from schemas.registry import stream_hash
from schemas.stream import SideInput, Stream


@dataclass(frozen=True)
class Definition:
    """hash: of the stream's definition and of its side inputs' bytes, where there are any; files: by side input."""

    hash: str
    files: dict[str, list[str]]

    def covers(self, hash_before: str) -> bool:
        """Whether what another hash parsed need not be again. A side input that is gone leaves what it gave."""
        return hash_before == self.hash or (not self.files and hash_before.startswith(f"{self.hash}-"))

    def require_side_inputs_of(self, hashes_before: Iterable[str]) -> None:
        """LandingFailed where files must be parsed again that were parsed with side inputs, and these are gone."""
        lacking = sum("-" in each for each in hashes_before)
        if lacking and not self.files:
            raise LandingFailed(
                f"{lacking} file(s) must be parsed again, and were parsed with side inputs that are no "
                "longer in the landing folder; put those back (docs/streams/ names them)"
            )


def now(root: Location, stream: Stream, listed: Listing, known: Mapping[str, FileRow]) -> Definition:
    """The definition at this moment. `root`: landing folder. Reads the content of side inputs that are not as known."""
    found = {
        side.name: [path for path in listed.no_events if any(matches(each, path) for each in side.paths)]
        for side in stream.side_inputs
    }
    files = {name: paths for name, paths in found.items() if paths}
    if not files:
        return Definition(stream_hash(stream.name), {})
    digest = hashlib.sha256()
    for name, paths in files.items():
        for path in paths:
            digest.update(f"{name}\0{path}\0{hash_now(root, listed, path, known.get(path))}\0".encode())
    return Definition(f"{stream_hash(stream.name)}-{digest.hexdigest()[:8]}", files)


def side_inputs(root: Location, stream: Stream, definition: Definition) -> dict[str, object]:
    """What the stream's side inputs hold, by name. LandingFailed for one that can't be read."""
    return {
        side.name: _read(root, side, definition.files[side.name])
        for side in stream.side_inputs
        if side.name in definition.files
    }


def _read(root: Location, side: SideInput, paths: list[str]) -> object:
    try:
        return side.read(text for path in paths for text in _texts(root, path))
    except (*UNREADABLE_FILE, OSError, ValueError) as error:
        raise LandingFailed(
            f"side input {side.name!r}, {', '.join(paths)}, can't be read ({error}); repair it, or "
            "take it out of the landing folder"
        ) from error


def _texts(root: Location, path: str) -> Iterator[str]:
    for part in lines(UnpackedFile(root / path)):
        damage = next(filter(None, part.damage or ()), None)
        if damage:
            raise ValueError(f"a line is damaged: {damage}")
        yield from part.texts
