"""Which layout reads a file: by its path and its first line, or, where lines name their fields, by these names.

A file that lacks what a layout needs is none of that layout's: a column that is missing or renamed would else be null
in every row, without a word.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest

from windrow.schemas.json_lines import json_object
from windrow.schemas.parsing import is_at, split
from windrow.schemas.spelling import did_you_mean
from windrow.schemas.stream import BY_NAME, Layout, Stream

_OPTIONAL = "if files may lack it, `optional` of the layout names it"


class Chooser:
    """Chooses the layout of one file, whose lines it takes, the first one first, until it has `decided`. A damaged line
    is None."""

    def __init__(self, stream: Stream, path: str):
        ours = [layout for layout in stream.layouts if is_at(layout, path)]
        self.stream, self.ours = stream, ours
        self.lines, self.first = 0, ""
        self.members = {layout.name: _Members(layout) for layout in ours if layout.members is not None}

    def take(self, texts: Iterable[str | None]) -> None:
        """More of the file's lines."""
        for text in texts:
            if self.decided:
                return
            if self.lines == 0:
                self.first = (text or "").removeprefix("\ufeff")
            self.lines += 1
            if text is not None and self.members:
                self._take_object(text)

    def _take_object(self, text: str) -> None:
        try:
            found = json_object(text)
        except ValueError:  # the line will be refused by itself
            return
        for members in self.members.values():
            members.take(found)

    @property
    def decided(self) -> bool:
        """Whether more lines change nothing."""
        return self.lines > 0 and not next((members.open for members in self.members.values()), None)

    @property
    def layout(self) -> Layout | None:
        """The first of the stream's layouts that the file fits; None: unknown."""
        return next((layout for layout in self.stream.layouts if self._fits(layout)), None)

    def _fits(self, layout: Layout) -> bool:
        if layout.header is None:
            return layout in self.ours and not (layout.name in self.members and self.members[layout.name].lacking)
        names = _names(layout, self.first)
        return names == layout.header if layout.columns != BY_NAME else not _lacking(layout, names)

    @property
    def why(self) -> str:
        """In what the file differs from the layout that is nearest."""
        for members in self.members.values():
            return members.why
        headed = [layout for layout in self.stream.layouts if layout.header is not None]
        headed = [layout for layout in headed if layout in self.ours] or headed
        if not headed:
            return "no layout of the stream is for files of that name"
        nearest = max(headed, key=lambda layout: len(_lowered(_names(layout, self.first)) & _lowered(layout.header)))
        return _difference(nearest, _names(nearest, self.first))


def of_file(layout: Layout, first_line: str) -> Layout:
    """The layout as it reads the file with that first line: where columns go by name, by those of the file."""
    if layout.columns != BY_NAME:
        return layout
    return replace(layout, names=_names(layout, first_line.removeprefix("\ufeff")))


class _Members:
    """Which members of a layout no object of a file has. An object within another that is null says nothing."""

    def __init__(self, layout: Layout):
        self.layout, self.open = layout, {*(layout.members or ())} - {*layout.optional}
        self.lacking: dict[str, list[str]] = {}  # with the names that the object has instead

    def take(self, found: dict) -> None:
        for member in tuple(self.open):
            value, names = found, member.split(".")
            while names and isinstance(value, dict) and names[0] in value:
                value = value[names.pop(0)]
            if not names:
                self.open.discard(member)
                self.lacking.pop(member, None)
            elif isinstance(value, dict):
                self.lacking[member] = list(value)

    @property
    def why(self) -> str:
        wanted = [member for member in self.layout.members or () if member in self.lacking]
        meant = _meant(wanted[0].split(".")[-1], self.lacking[wanted[0]])
        lacks = ", ".join(map(repr, wanted))
        return f"no object or row of the file has {lacks}, as layout {self.layout.name!r} wants{meant}; {_OPTIONAL}"


def _meant(name: str, names: Iterable[str]) -> str:
    return did_you_mean(name, names).removesuffix("?").replace(". Did you mean ", ", which it may have as ")


def _names(layout: Layout, first_line: str) -> tuple[str, ...]:
    try:
        return tuple(split(layout, first_line))
    except ValueError:
        return ()


def _lacking(layout: Layout, names: tuple[str, ...]) -> list[str]:
    """Columns of a layout by name that the file has not, or more than once."""
    counts = {name: names.count(name) for name in layout.header or ()}
    return [name for name, count in counts.items() if count != 1 and not (count == 0 and name in layout.optional)]


def _lowered(names: Iterable[str] | None) -> set[str]:
    return {name.strip().lower() for name in names or ()}


def _difference(layout: Layout, names: tuple[str, ...]) -> str:
    wanted = layout.header or ()
    if layout.columns == BY_NAME:
        first, *more = _lacking(layout, names)
        if first in names:
            return f"the first line has {first!r} {names.count(first)} times; layout {layout.name!r} wants it once"
        others = f" and {len(more)} more" if more else ""
        meant = _meant(first, names)
        return f"the first line lacks {first!r}{others}, as layout {layout.name!r} wants{meant}; {_OPTIONAL}"
    pairs = zip_longest(names, wanted)
    found, expected = next((found, expected) for found, expected in pairs if found != expected)
    hint = ', or columns="by name"' if {*wanted} <= {*names} else ""
    differs = f"{found!r} where {expected!r} is expected" if None not in (found, expected) else _longer(found, expected)
    return f"the first line has {differs}: another layout than {layout.name!r}{hint}?"


def _longer(found: str | None, expected: str | None) -> str:
    return f"one more field, {found!r}" if expected is None else f"nothing where {expected!r} is expected"
