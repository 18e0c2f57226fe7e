"""From a landed file's content to what bronze has a row for: lines as received, damage marked, put together where a
quoted field holds line breaks. Memory is bounded."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import repeat
from typing import NamedTuple, TypeAlias

from windrow.schemas.layouts import of_file
from windrow.schemas.parsing import count_of, split
from windrow.schemas.stream import ACROSS_LINES, KEPT_CHARACTERS, Layout

LINE_LIMIT_BYTES = 1 << 20
_Line: TypeAlias = tuple[str, str | None]  # its text, and what damages it


class Lines(NamedTuple):
    """Some lines of a file, in order. `damage` has a reason per line, or is None where no line is damaged."""

    texts: list[str]
    damage: list[str | None] | None


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
    return _lines([_decode_one(line) for line in block.split(b"\n")])


def _decode_one(line: bytes) -> _Line:
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


def records(parts: Iterable[Lines], layout: Layout | None) -> Iterator[Lines]:
    """The file's records in parts, from its first line on; without a layout each line is one."""
    if layout is None or layout.members is not None or layout.quoting is None:
        yield from parts
        return
    joining: _Joining | None = None
    for part in parts:
        joining = joining or _Joining(of_file(layout, part.texts[0]))
        if (taken := joining.take(part)).texts:
            yield taken
    if joining and joining.waiting:
        yield _lines(joining.give_up())  # what no line has closed


class _Joining:
    """`waiting`: lines of a record that is still open.

    A line that leaves a quote open goes on up to the next line with an odd number of quotes, if together they are a
    record: of as many fields as the layout has, within the limit of a line. So a stray quote harms its own line only. A
    layout that takes no such records refuses each of them once; one of ragged lines has to ask for them.
    """

    def __init__(self, layout: Layout):
        self.layout, self.count = replace(layout, quoting=ACROSS_LINES), count_of(layout)
        self.joins = self.count is not None or layout.quoting == ACROSS_LINES
        self.waiting: list[str] = []
        self.bytes = 0

    def take(self, part: Lines) -> Lines:
        odd = [text.count('"') % 2 for text in part.texts] if self.joins else []
        if not self.waiting and not any(odd):
            return part
        found: list[_Line] = []
        for text, damage, is_odd in zip(part.texts, part.damage or repeat(None), odd, strict=False):
            found += self._taken(text, damage, bool(is_odd))
        return _lines(found)

    def _taken(self, text: str, damage: str | None, is_odd: bool) -> list[_Line]:
        if damage is None and is_odd and self.waiting and self._is_record([*self.waiting, text]):
            return [("\n".join([*(waiting for waiting, _ in self.give_up()), text]), None)]
        given_up = self.give_up() if damage is not None or is_odd else []
        if damage is None and (is_odd or self.waiting):
            self.waiting.append(text)
            self.bytes += len(text.encode()) + 1
            return [*given_up, *(self.give_up() if self.bytes > LINE_LIMIT_BYTES else [])]
        return [*given_up, (text, damage)]

    def give_up(self) -> list[_Line]:
        """Each that waits is a record by itself: only the first has an odd number of quotes."""
        found: list[_Line] = [(text, None) for text in self.waiting]
        self.waiting, self.bytes = [], 0
        return found

    def _is_record(self, texts: list[str]) -> bool:
        if self.bytes + len(texts[-1].encode()) > LINE_LIMIT_BYTES:
            return False
        try:
            fields = split(self.layout, "\n".join(texts))
        except ValueError:
            return False
        return self.count is None or len(fields) == self.count


def _lines(found: list[_Line]) -> Lines:
    damage = [each for _, each in found]
    return Lines([text for text, _ in found], damage if any(damage) else None)
