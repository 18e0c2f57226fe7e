"""What holds of frames between two tuples, by plain Python over memory as it stands.

Each check raises AssertionError with a sentence for the first invariant that doesn't hold.
"""

from collections.abc import Iterator
from typing import NamedTuple

from kernels.frames._frames import KeyFrames
from kernels.frames._ordered import CHUNK_ENTRIES, EntryChunk, Ordered
from kernels.frames._rules import REACH, Frame, FrameRules
from kernels.runtime.calls import ask


class Held(NamedTuple):
    """An entry."""

    time: int
    row: int
    word: int


def held_in_order(ordered: Ordered, of: str) -> list[Held]:
    """Entries in order; AssertionError where chunks are wrong."""
    assert 0 <= ordered.first <= ordered.end <= ordered.room, f"order of {of}: its chunks stand within its room"
    held = list(_entries(ordered, of))
    assert len(held) == ordered.count, f"count of {of}: {ordered.count} of {len(held)} entries"
    require_ascending(held, of)
    return held


def _entries(ordered: Ordered, of: str) -> Iterator[Held]:
    for place in range(ordered.first, ordered.end):
        chunk = EntryChunk(ordered.order[place])
        assert 0 < chunk.count <= CHUNK_ENTRIES, f"chunks of {of}: chunk {place} has 1 to {CHUNK_ENTRIES} entries"
        for at in range(chunk.count):
            entry = chunk.entries[at]
            yield Held(entry.time, entry.row, entry.word)


def require_ascending(held: list[Held], of: str) -> None:
    for one, other in zip(held, held[1:], strict=False):
        assert one[:2] < other[:2], f"order of {of}: {one[:2]} stands before {other[:2]}"


def check_frames(s: KeyFrames, tuples: list[Held], first_is_cut: bool) -> None:
    """Frames against the tuples that are kept: O(tuples · frames)."""
    before, reach, held = None, None, held_in_order(s.frames, "frames")
    for entry in held:
        frame = Frame(entry.word)
        first, last = (frame.first, frame.first_row), (frame.last, frame.last_row)
        assert first == entry[:2], f"frames: that of {first} stands at {entry[:2]}"
        assert first <= last, f"frames: that of {first} ends before it begins, at {last}"
        assert before is None or before < first, f"frames: that of {first} begins before the one before it ends"
        if not (before is None and first_is_cut):
            kept = [each for each in tuples if first <= each[:2] <= last]
            assert kept and kept[0][:2] == first and kept[-1][:2] == last, f"frames: edges of {first} are tuples"
        if s.rules.depends_on == REACH:
            assert reach is None or reach <= frame.first, f"frames: that of {first} begins beyond the reach before it"
            assert frame.last < frame.reach, f"frames: that of {first} reaches beyond its last tuple"
            reach = frame.reach
        before = last
    _check_rules(s.rules, [Frame(entry.word) for entry in held], tuples)


def _check_rules(rules: FrameRules, frames: list[Frame], tuples: list[Held]) -> None:
    """Tuples in no frame open none."""
    for each in tuples:
        in_one = any((f.first, f.first_row) <= each[:2] <= (f.last, f.last_row) for f in frames)
        assert in_one or not _opens_one(rules, each.word), f"frames: the tuple {each[:2]} is in one"


def _opens_one(rules: FrameRules, value: int) -> bool:
    return rules.opens == 0 or ask(rules.opens, rules.address, value) == 1
