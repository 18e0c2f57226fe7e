"""Files as no sender should make them: each a good file of some layout, damaged in one way, seeded.

    case 17: cdr/generated-xdr/beijing/it's 50% é 17.csv.gz, swapped columns

What a damage does to the bytes is a function here; what must hold afterwards is test_fuzz.py.
"""

import gzip
import random
from collections.abc import Callable
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from windrow.schemas.registry import streams
from windrow.schemas.stream import Layout, Stream

LAST_DAY = date(2024, 3, 8)
LINES_KEPT = 40
CALL = '19,2009-01-02 10:{:02}:28,{},,"1000000001"'
BANK = "A {0} 0 0 PS 990201 7:02:{0} 7:02:56 9 0:00:00 0:00:00 0 AGENT 7:02:55 7:05:41 166 NOA".replace(" ", "\t")
# Layouts without a generator of landing files.
WRITTEN = {
    ("phone_calls", "calls"): [CALL.format(n, n * 7) for n in range(LINES_KEPT)],
    ("call_center", "calls"): [BANK.format(n) for n in range(10, 50)],
}
ODD_NAMES = ("it's {}", "50% é {}", "a b {}", "%20{}", "{};rm -rf", "日本 {}", "{}" + "x" * 180, "a\\b{}", "$HOME {}",
             "{}#?&", "new\nline {}", "tab\t{}", "\u202e{}")  # fmt: skip
# Put into any field: times that leave int64 or the calendar, and dates that never were.
TIMES = ("9999-12-31 23:59:59", "0001-01-01 00:00:00", "10000-01-01 00:00:00", "2024-02-30 00:00:00", "9" * 19,
         "9" * 40, "-9223372036854775808", "1969-12-31 23:59:59", "1e18", "٢٠٢٤-01-01 00:00:00", "", "NaN",
         "2024-03-08 24:00:00")  # fmt: skip
BOMB_PIECES = 300  # of 1 MiB


class Good(NamedTuple):
    """A good file: where files of its layout lie, and its lines."""

    stream: Stream
    layout: Layout
    folder: str
    lines: list[str]


class Case(NamedTuple):
    """A damaged file. content: its bytes; None where the path is a link that leads out of the landing folder."""

    path: str
    damage: str
    content: bytes | None


def good_files(scratch: Path) -> list[Good]:
    """One good file for each layout of each stream."""
    layouts = [(stream, layout) for stream in streams().values() for layout in stream.layouts]
    return [Good(stream, layout, *_good(stream, layout, scratch)) for stream, layout in layouts]


def _good(stream: Stream, layout: Layout, scratch: Path) -> tuple[str, list[str]]:
    if (stream.name, layout.name) in WRITTEN:
        header = [layout.delimiter.join(layout.header)]
        return str(Path(layout.paths[0]).parent), header + WRITTEN[stream.name, layout.name]
    into = scratch / stream.name
    if not into.exists():
        import_module(f"windrow.samples.{stream.name}").write(into, 1, LAST_DAY, 1, 200)
    path = next(path for pattern in layout.paths for path in sorted(into.glob(pattern)))
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    return path.relative_to(into).parent.as_posix(), lines[:LINES_KEPT]


def side_inputs(scratch: Path) -> dict[str, bytes]:
    """Good files that lie alongside those with events, by path."""
    return {
        path.relative_to(scratch / stream.name).as_posix(): path.read_bytes()
        for stream in streams().values()
        for side in stream.side_inputs
        for pattern in side.paths
        for path in (scratch / stream.name).glob(pattern)
    }


def cases(good: list[Good], count: int, seed: int) -> list[Case]:
    """So many damaged files: every layout and every damage in turn, then by chance."""
    chance, damages = random.Random(seed), list(DAMAGES)
    turns = [divmod(number, len(good)) for number in range(count)]
    of_turns = [(good[layout], damages[(turn + layout) % len(damages)]) for turn, layout in turns]
    return [_case(chance, *of_turn, number) for number, of_turn in enumerate(of_turns)]


def _case(chance: random.Random, of: Good, damage: str, number: int) -> Case:
    ending = Path(of.layout.paths[0]).suffix
    name = chance.choice(ODD_NAMES).format(number) if damage == "odd path" or chance.random() < 0.2 else f"f{number}"
    prefix = "trips-" if of.layout.name == "daily" else ""
    content = DAMAGES[damage](chance, of)
    packed = damage in PACKED or chance.random() < 0.5
    path = f"{of.folder}/{prefix}{name}{ending}{'.gz' if packed else ''}"
    if content is not None and packed and damage not in PACKED:
        content = gzip.compress(content, mtime=0)
    return Case(path, damage, content)


def _text(lines: list[str], end: str = "\n") -> bytes:
    return (end.join(lines) + end).encode()


def flipped_bits(chance: random.Random, of: Good) -> bytes:
    return _flipped(chance, _text(of.lines), 30)


def _flipped(chance: random.Random, content: bytes, fewer_than: int) -> bytes:
    data = bytearray(content)
    for _ in range(chance.randrange(1, fewer_than)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def flipped_packed_bits(chance: random.Random, of: Good) -> bytes:
    return _flipped(chance, gzip.compress(_text(of.lines), mtime=0), 4)


def cut(chance: random.Random, of: Good) -> bytes:
    data = _text(of.lines)
    return data[: chance.randrange(len(data))]


def cut_packed(chance: random.Random, of: Good) -> bytes:
    data = gzip.compress(_text(of.lines), mtime=0)
    return data[: chance.randrange(len(data))]


def swapped_columns(chance: random.Random, of: Good) -> bytes:
    def swap(line: str) -> str:
        fields = line.split(of.layout.delimiter)
        first, second = chance.randrange(len(fields)), chance.randrange(len(fields))
        fields[first], fields[second] = fields[second], fields[first]
        return of.layout.delimiter.join(fields)

    return _text([of.lines[0], *map(swap, of.lines[1:])])


def huge_field(chance: random.Random, of: Good) -> bytes:
    first, second = (chance.choice((70_000, 1 << 20, (1 << 20) + 5, 5 << 20)) for _ in range(2))
    return _text([*of.lines[:3], of.lines[-1] + "x" * first, '"' + "," * second, *of.lines[3:]])


def many_fields(chance: random.Random, of: Good) -> bytes:
    return _text([*of.lines, of.layout.delimiter * chance.choice((1, 30, 200_000))])


def other_encoding(chance: random.Random, of: Good) -> bytes:
    text = "\n".join([*of.lines[:5], f"{of.lines[-1]}é", *of.lines[5:], ""])
    return text.encode(chance.choice(("utf-16", "utf-32", "latin-1", "cp037", "utf-8-sig")))


def control_characters(chance: random.Random, of: Good) -> bytes:
    lines = [*of.lines[:4], "\0" * 9, "\r\r", "\x1f\x1e\ufeff\u2028", *of.lines[4:]]
    return _text(lines, chance.choice(("\n", "\r\n", "\r")))


def odd_quotes(chance: random.Random, of: Good) -> bytes:
    line = list(of.lines[-1])
    for _ in range(chance.randrange(1, 5)):
        line.insert(chance.randrange(len(line)), '"')
    return _text([*of.lines, "".join(line)])


def impossible_times(chance: random.Random, of: Good) -> bytes:
    def put(line: str) -> str:
        fields = line.split(of.layout.delimiter)
        fields[chance.randrange(len(fields))] = chance.choice(TIMES)
        return of.layout.delimiter.join(fields)

    return _text([of.lines[0], *map(put, of.lines[1:])])


def nothing_much(chance: random.Random, of: Good) -> bytes:
    return chance.choice((b"", b"\n", b"\n" * 50, _text(of.lines[:1]), _text(of.lines[:1])[:-1], b"\x1f\x8b", b"\0"))


def bomb(chance: random.Random, of: Good) -> bytes:
    """Much more content than bytes: of one line, or of a great many."""
    piece = gzip.compress(chance.choice((b"0", b"\n", b",\n")) * (1 << 20), mtime=0)
    return gzip.compress(_text(of.lines), mtime=0) + piece * BOMB_PIECES


def lines_of_others(chance: random.Random, of: Good) -> bytes:
    return _text([of.lines[0], *(";".join(chance.choices("abc,\t01", k=30)) for _ in range(20)), *of.lines])


def odd_path(chance: random.Random, of: Good) -> bytes:
    return _text(of.lines)


def link_out(chance: random.Random, of: Good) -> None:
    return None


DAMAGES: dict[str, Callable[[random.Random, Good], bytes | None]] = {each.__name__.replace("_", " "): each for each in (
    flipped_bits, flipped_packed_bits, cut, cut_packed, swapped_columns, huge_field, many_fields, other_encoding,
    control_characters, odd_quotes, impossible_times, nothing_much, bomb, lines_of_others, odd_path, link_out,
)}  # fmt: skip
PACKED = {"flipped packed bits", "cut packed", "bomb"}
