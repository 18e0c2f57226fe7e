"""Frames as words, to be kept between two runs, and what holds of them between two tuples.

    [floor][evicted][row][is cut][cut content][cut grown]        rows are counted from row_offset on
    [tuples][time · row · value][time · row · value] …
    [frames][first · row · last · row · opening · reach · grown] …

Each check is plain Python over memory as it stands, and raises AssertionError with a sentence for the first invariant
that doesn't hold.
"""

from collections.abc import Iterable
from typing import NamedTuple

from kernels.frames._frames import KeyFrames, add_frame, frame_at
from kernels.frames._ordered import CHUNK_ENTRIES, EntryChunk, Ordered, OrderedEntry, next_place, standing
from kernels.frames._rules import REACH, Frame
from kernels.runtime.counted import are_there
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from kernels.runtime.struct import words_at
from kernels.states import copy_words

HEAD_WORDS = 4
FRAME_WORDS = Frame.offsets["reach"] // WORD_BYTES


@inner
def _grown_words(s):
    """Words of what closes an aggregate frame."""
    return 0 if s.rules.plan.address == 0 else s.rules.plan.state_words


@inner
def save_head(s, into):
    """What was evicted. Returns how many words that is; they are written unless `into` is 0."""
    content, grown, behind = s.plan.state_words, _grown_words(s), into + HEAD_WORDS * WORD_BYTES
    if into != 0:
        words = words_at(into)
        words[0], words[1], words[2], words[3] = s.floor, s.evicted, s.evicted_row - s.row_offset, 1 if s.is_cut else 0
        copy_words(behind, s.cut_content, content)
        copy_words(behind + content * WORD_BYTES, s.cut_grown, grown)
    return HEAD_WORDS + content + grown


@inner
def load_head(s, saved, there):
    """Returns how many of so many words were read; 0: there are fewer."""
    content, grown, behind = s.plan.state_words, _grown_words(s), saved + HEAD_WORDS * WORD_BYTES
    if there < HEAD_WORDS + content + grown:
        return 0
    words = words_at(saved)
    s.floor, s.evicted, s.evicted_row, s.is_cut = words[0], words[1], words[2] + s.row_offset, words[3] != 0
    copy_words(s.cut_content, behind, content)
    copy_words(s.cut_grown, behind + content * WORD_BYTES, grown)
    return HEAD_WORDS + content + grown


@inner
def _frame_words(s):
    """The fields of a frame, as they stand in it; the reach only where frames have one: others were saved without."""
    return FRAME_WORDS + 1 if s.rules.depends_on == REACH else FRAME_WORDS


@inner
def save_frames(s, into):
    """As save_head."""
    not_inlined()
    fields, grown, count = _frame_words(s), _grown_words(s), s.frames.count
    if into != 0:
        words_at(into)[0] = count
        into += WORD_BYTES
        chunk, at = standing(s.frames, s.frames.first, 0)
        while chunk < s.frames.end:
            frame, saved = frame_at(s, chunk, at), Frame(into)
            copy_words(into, frame.address, fields)
            saved.first_row, saved.last_row = frame.first_row - s.row_offset, frame.last_row - s.row_offset
            copy_words(into + fields * WORD_BYTES, frame.grown, grown)
            into += (fields + grown) * WORD_BYTES
            chunk, at = next_place(s.frames, chunk, at)
    return 1 + count * (fields + grown)


@inner
def load_frames(s, saved, there):
    """Of a structure that holds none. Whether they are what stands in so many words."""
    not_inlined()
    fields, grown = _frame_words(s), _grown_words(s)
    each = fields + grown
    if not are_there(saved, there, each) or 1 + words_at(saved)[0] * each != there:
        return False
    for number in range(words_at(saved)[0]):
        of = Frame(saved + (1 + number * each) * WORD_BYTES)
        frame = add_frame(s, of.first, of.first_row + s.row_offset)
        copy_words(frame.address, of.address, fields)
        frame.first_row, frame.last_row = of.first_row + s.row_offset, of.last_row + s.row_offset
        copy_words(frame.grown, of.address + fields * WORD_BYTES, grown)
    return True


class Held(NamedTuple):
    time: int
    row: int
    word: int


def held_in_order(entries: Iterable[OrderedEntry], of: str) -> list[Held]:
    """What entries are; AssertionError where they aren't in order."""
    held = [Held(each.time, each.row, each.word) for each in entries]
    for one, other in zip(held, held[1:], strict=False):
        assert one[:2] < other[:2], f"order of {of}: {one[:2]} stands before {other[:2]}"
    return held


def entries_of(ordered: Ordered, of: str) -> list[OrderedEntry]:
    """All of them; AssertionError where chunks are wrong."""
    assert 0 <= ordered.first <= ordered.end <= ordered.room, f"order of {of}: its chunks stand within its room"
    entries = []
    for place in range(ordered.first, ordered.end):
        chunk = EntryChunk(ordered.order[place])
        assert 0 < chunk.count <= CHUNK_ENTRIES, f"chunks of {of}: chunk {place} has 1 to {CHUNK_ENTRIES} entries"
        entries += [chunk.entries[at] for at in range(chunk.count)]
    assert len(entries) == ordered.count, f"count of {of}: {ordered.count} of {len(entries)} entries"
    return entries


def check_frames(s: KeyFrames, tuples: list[Held], first_is_cut: bool) -> None:
    """Frames against the tuples that are kept: O(tuples · frames)."""
    before, reach, spans = None, None, []
    for entry in held_in_order(entries_of(s.frames, "frames"), "frames"):
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
        spans.append((first, last))
    for each in tuples:
        opens_one = s.rules.opens == 0 or s.rules.opens(s.rules.address, each.word) == 1
        in_one = any(first <= each[:2] <= last for first, last in spans)
        assert in_one or not opens_one, f"frames: the tuple {each[:2]} is in one"
