"""Files of the landing folder that lie where no stream looks: a folder with a typing error in its name would else never
be heard of."""

from fnmatch import fnmatchcase

from schemas.registry import broken_streams, streams
from schemas.stream import Stream


class Unread:
    """Such files, by the topmost folder that they are in."""

    def __init__(self) -> None:
        self.read = {pattern.split("/")[0] for stream in streams().values() for pattern in _patterns(stream)}
        self.found: dict[str, list[str]] = {}

    def note(self, path: str) -> None:
        """A file that is not the asking stream's."""
        top = path.split("/")[0]
        if top not in self.read and not any(fnmatchcase(top, pattern) for pattern in self.read):
            self.found.setdefault(top, []).append(path)

    @property
    def messages(self) -> list[str]:
        """One of each folder."""
        broken = f", or only {', '.join(broken_streams())}, of a broken definition" if broken_streams() else ""
        return [f"{_shown(paths)}: left out, no stream reads {_place(top, paths)}{broken}"
                for top, paths in sorted(self.found.items())]  # fmt: skip


def _shown(paths: list[str]) -> str:
    first = paths[0] if paths[0].isprintable() else ascii(paths[0])
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1:,} more"


def _place(top: str, paths: list[str]) -> str:
    return "what lies in no folder" if paths == [top] else "what lies in that folder"


def _patterns(stream: Stream) -> list[str]:
    of_layouts = [pattern for layout in stream.layouts for pattern in layout.paths]
    of_others = [pattern for side in stream.side_inputs for pattern in side.paths]
    return [*of_layouts, *of_others, *(pattern for pattern, _ in stream.not_events)]
