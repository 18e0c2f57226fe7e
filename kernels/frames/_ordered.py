"""Entries in order of (time, row), in chunks: what frames and their tuples stand in.

    order    ─▶ chunk           ─▶ chunk               ─▶ chunk
                1 2 2 5             6 9                    12 13 15 ·        an entry is (time, row, word)

A new entry goes where it belongs by bisection over the chunks, from the young end, and then within one: O(log n), and
up to a chunk of entries moves. A chunk that is full is halved, unless the entry is the youngest of all: then it begins
a new one, so that what comes in order fills them. The paper's linked lists (FRAMES, "Multi-Buffer") move nothing, and
are walked from one end to find a place.
"""

from windrow.kernels.runtime.address_list import AddressList, insert_address, release_addresses, remove_address
from windrow.kernels.runtime.bisection import searches
from windrow.kernels.runtime.fields import Address, Count, Flag, Inline, Microseconds, Place, Tail, Word
from windrow.kernels.runtime.memory import WORD_BYTES, inlined, inner, move, not_inlined, release, resize
from windrow.kernels.runtime.struct import Struct

CHUNK_ENTRIES = 64
LAST_ROW = 1 << 62
"""Behind every row of a time."""


class OrderedEntry(Struct):
    """word: its owner's, of any meaning."""

    time: Microseconds
    row: Place
    word: Word


ENTRY_WORDS = OrderedEntry.size_bytes // WORD_BYTES
ROW_WORD = OrderedEntry.offsets["row"] // WORD_BYTES


class EntryChunk(Struct):
    """Entries 0 … count − 1; `next_spare`, of a chunk that is not in use. note: a block of its owner's, if it has one,
    which says something of what is before the first entry, if has_note."""

    count: Count
    next_spare: Address
    note: Address
    has_note: Flag()
    entries: Tail(Inline(OrderedEntry))


CHUNK_WORDS = EntryChunk.size_bytes // WORD_BYTES + CHUNK_ENTRIES * ENTRY_WORDS


class Ordered(AddressList):
    """Chunks, none of them empty; count: entries in all; spare: chunks to be used again."""

    count: Count
    spare: Address


@inner
def chunk_at(ordered, chunk):
    return EntryChunk(ordered.order[chunk])


@inner
def entry_at(ordered, chunk, at):
    """An entry, by its chunk's place and its own in that."""
    return OrderedEntry(chunk_at(ordered, chunk).entries[at].address)


@inner
def is_behind(entry, time, row):
    return entry.time > time or (entry.time == time and entry.row > row)


@inner
def _begins_until(ordered, chunk, key):
    return not is_behind(entry_at(ordered, chunk, 0), key[0], key[1])


@inner
def _stands_until(chunk, at, key):
    return not is_behind(chunk.entries[at], key[0], key[1])


_chunk_behind = searches("chunks_of_entries", _begins_until).gallop_back
_entry_behind = searches("entries_of_a_chunk", _stands_until).place_from


@inner
def place_behind(ordered, time, row):
    """(chunk, at) behind all entries up to (time, row). O(log n), from the young end on; behind all O(1)."""
    if ordered.first == ordered.end:
        return ordered.end, 0
    chunk, at = last_place(ordered)
    if not is_behind(entry_at(ordered, chunk, at), time, row):
        return chunk, at + 1
    key = (time, row)
    chunk = max(_chunk_behind(ordered, ordered.first, ordered.end, key) - 1, ordered.first)
    of = chunk_at(ordered, chunk)
    return chunk, _entry_behind(of, 0, of.count, key)


@inner
def standing(ordered, chunk, at):
    """The place, or that of the next chunk's first entry where it is behind its chunk's last; chunk = end: none."""
    if chunk < ordered.end and at == chunk_at(ordered, chunk).count:
        return chunk + 1, 0
    return chunk, at


@inner
def first_behind(ordered, time, row):
    """The place of the first entry behind (time, row); chunk = end: there is none. As place_behind."""
    chunk, at = place_behind(ordered, time, row)
    return standing(ordered, chunk, at)


@inner
def next_place(ordered, chunk, at):
    """The place of the next entry; chunk = end: there is none."""
    return standing(ordered, chunk, at + 1)


@inner
def previous_place(ordered, chunk, at):
    """The place of the entry before; chunk = first − 1: there is none."""
    if at > 0:
        return chunk, at - 1
    if chunk == ordered.first:
        return chunk - 1, 0
    return chunk - 1, chunk_at(ordered, chunk - 1).count - 1


@inner
def last_place(ordered):
    """The place of the youngest entry; there is one."""
    return ordered.end - 1, chunk_at(ordered, ordered.end - 1).count - 1


@inner
def last_entry(ordered):
    """The youngest; there is one."""
    chunk, at = last_place(ordered)
    return entry_at(ordered, chunk, at)


@inner
def end_place(ordered):
    """Where an entry behind all others goes."""
    if ordered.first == ordered.end:
        return ordered.end, 0
    return ordered.end - 1, chunk_at(ordered, ordered.end - 1).count


@inner
def least_row(ordered):
    """Of all entries, −1 if there is none. O(entries)."""
    least, chunk, at = -1, ordered.first, 0
    while chunk < ordered.end:
        row = entry_at(ordered, chunk, at).row
        least = row if least < 0 else min(least, row)
        chunk, at = next_place(ordered, chunk, at)
    return least


@inner
def holds(ordered, chunk, at, time, row):
    """Whether the entry (time, row) stands at a place, which may be another's, or no place any more."""
    if chunk < ordered.first or chunk >= ordered.end or at >= chunk_at(ordered, chunk).count:
        return False
    entry = entry_at(ordered, chunk, at)
    return entry.time == time and entry.row == row


@inner
def insert_at(ordered, chunk, at, time, row, word):
    """A new entry at the place that place_behind gave → its place. O(entries of a chunk), of a full one O(chunks)."""
    inlined()
    if chunk == ordered.end or chunk_at(ordered, chunk).count == CHUNK_ENTRIES:
        chunk, at = _make_place(ordered, chunk, at)
    into = chunk_at(ordered, chunk)
    if at == 0:
        into.has_note = False
    if at < into.count:
        moved = (into.count - at) * ENTRY_WORDS
        move(into.entries[at + 1 :].address, into.entries[at:].address, moved)
    entry = into.entries[at]
    entry.time, entry.row, entry.word = time, row, word
    into.count += 1
    ordered.count += 1
    return chunk, at


@inner
def append(ordered, time, row, word):
    """A new entry behind all others, wherever it belongs → its place. Amortised O(1)."""
    chunk, at = end_place(ordered)
    return insert_at(ordered, chunk, at, time, row, word)


@inner
def insert_in_order(ordered, time, row, word):
    """A new entry where it belongs. O(log n + entries of a chunk)."""
    chunk, at = place_behind(ordered, time, row)
    return insert_at(ordered, chunk, at, time, row, word)


@inner
def _make_place(ordered, chunk, at):
    """(chunk, at) with room for an entry, where there is no chunk or it is full."""
    not_inlined()
    is_youngest = chunk == ordered.end or (chunk == ordered.end - 1 and at == CHUNK_ENTRIES)
    behind = chunk if chunk == ordered.end else chunk + 1
    taken = EntryChunk(ordered.spare)
    if ordered.spare == 0:
        taken = EntryChunk(resize(0, CHUNK_WORDS))
        taken.note = 0
    else:
        ordered.spare = taken.next_spare
    taken.count, taken.has_note = 0, False
    moved = insert_address(ordered, behind, taken.address)
    chunk, behind = chunk - moved, behind - moved
    if is_youngest:
        return behind, 0
    half = CHUNK_ENTRIES // 2
    old, new = chunk_at(ordered, chunk), chunk_at(ordered, behind)
    move(new.entries.address, old.entries[half:].address, (CHUNK_ENTRIES - half) * ENTRY_WORDS)
    old.count, new.count = half, CHUNK_ENTRIES - half
    return (chunk, at) if at <= half else (behind, at - half)


@inner
def remove_at(ordered, chunk, at):
    """One entry less. O(entries of a chunk), and where it was the last of its chunk O(chunks behind it)."""
    of = chunk_at(ordered, chunk)
    of.count -= 1
    ordered.count -= 1
    if of.count > 0:
        move(of.entries[at:].address, of.entries[at + 1 :].address, (of.count - at) * ENTRY_WORDS)
        return
    _put_away(ordered, of)
    remove_address(ordered, chunk)


@inner
def _put_away(ordered, chunk):
    chunk.next_spare, ordered.spare = ordered.spare, chunk.address


@inner
def drop_before(ordered, time):
    """No entry before a time is left. As drop_until."""
    drop_until(ordered, time - 1, LAST_ROW)


@inner
def drop_until(ordered, time, row):
    """No entry up to (time, row) is left. O(chunks dropped + entries of a chunk)."""
    while ordered.first < ordered.end:
        chunk = chunk_at(ordered, ordered.first)
        dropped = 0
        while dropped < chunk.count and not is_behind(chunk.entries[dropped], time, row):
            dropped += 1
        ordered.count -= dropped
        chunk.count -= dropped
        if chunk.count > 0:
            if dropped > 0:
                chunk.has_note = False
                move(chunk.entries.address, chunk.entries[dropped:].address, chunk.count * ENTRY_WORDS)
            return
        _put_away(ordered, chunk)
        ordered.first += 1
    ordered.first = ordered.end = 0


@inner
def drop_all(ordered):
    while ordered.first < ordered.end:
        _put_away(ordered, chunk_at(ordered, ordered.first))
        ordered.first += 1
    ordered.first = ordered.end = ordered.count = 0


@inner
def release_ordered(ordered):
    drop_all(ordered)
    while ordered.spare != 0:
        chunk = EntryChunk(ordered.spare)
        ordered.spare = chunk.next_spare
        release(chunk.note)
        release(chunk.address)
    release_addresses(ordered)
