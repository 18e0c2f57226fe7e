"""Agnostic workers: the emitter keeps all tuples, in one shared buffer, and hands out descriptors of windows; a worker
reads the buffer where the window's tuples are (FARM §5.4). For every kind of windows.

    emitter  │chunk│chunk│chunk│chunk│        descriptor: chunk 2, place 1, 5 tuples
                    ▲▲▲▲▲▲▲▲▲▲▲
                    worker 1 and worker 2 read at once

Of tuples that are all here, sorted, as a replay gives them, nothing is buffered; a worker finds those of a window where
they lie, without those that a streaming system would not have known then. Tuples without a value in one of the columns
are counted and not given.

    start     1 2 3 4 5 6 7          window [2, 7), known at 9
    arrival   1 2 9 4 5 8 11         7 is outside; 3 arrived at 9: known; 5 came when windows that end by 7 were closed
    closed    · · · · 7 · ·          stretches [2 3 4] [6]

The shared buffer is chunks of a key's tuples, written by the emitter only, copied for no window.

    [ 16 tuples ] ─▶ [ 32 tuples ] ─▶ [ 64 tuples ] ─▶ [ 12 tuples, room for 128 ]
         ╰────── window 0 ─────────────────╯
                          ╰──────── window 1 ────────────────╯

Windows begin and end in the middle of chunks (FARM §5.4.3.1): each chunk has twice the room of the key's last one, up
to a number of tuples, and never moves; the emitter writes behind what workers may read. The oldest chunk is given back
when no window that begins in it is at work any more and the next window begins behind it. For windows of times FARM
cuts chunks where windows are cut (§5.4.2.1, fig. 23: of 1 s by 300 ms every 100 ms, the greatest common divisor):
windows of 600 tuples in 60 such chunks cost farm and function 1.3 times as much.
"""

from windrow.kernels.bounds import window_start
from windrow.kernels.farm.descriptors import add_stretch, begin, compute, descriptor_at, fill_descriptor, finish
from windrow.kernels.farm.layout import AGES, ATTRIBUTES, ORDINALS, Chunk, Farm, copy_tuples, hold, tuple_bytes
from windrow.kernels.farm.monitor import enter, leave, wait, wake
from windrow.kernels.runtime.bisection import place_from
from windrow.kernels.runtime.memory import as_float, as_word, inner, not_inlined, release, resize
from windrow.kernels.runtime.struct import allocate, words_at

LEAST_TUPLES = 16
CHUNK_BYTES = Chunk.size_bytes


@inner
def next_room(farm, stream):
    """Of a key's next chunk, in tuples: less where memory becomes scarce."""
    least = min(LEAST_TUPLES, farm.chunk_tuples)
    if stream.youngest == 0:
        return least
    room = min(2 * Chunk(stream.youngest).room, farm.chunk_tuples)
    while room > least and farm.held + CHUNK_BYTES + tuple_bytes(farm, room) > farm.most_held:
        room = max(room >> 1, least)
    return room


@inner
def bytes_needed(farm, stream):
    """What a tuple that has no place asks for."""
    return CHUNK_BYTES + tuple_bytes(farm, next_room(farm, stream))


@inner
def append(farm, chunk, batch, first, count):
    """Tuples go behind the others; there is room for them."""
    place = chunk.count
    chunk.count = place + count
    if count == 1:  # where keys come in turns: a call of memmove takes longer than a tuple
        chunk.times[place] = batch.times[first]
        for column in range(farm.columns):
            chunk.values[column * chunk.room + place] = batch.values[column * batch.count + first]
        return
    given = (batch.times[first:], batch.values[first:], batch.count)
    copy_tuples(farm, count, (chunk.times[place:], chunk.values[place:], chunk.room), given)


@inner
def add_chunk(farm, stream):
    """A chunk behind the others, of which each column is in one piece; the oldest that no window needs go."""
    not_inlined()
    advance(farm, stream, least_low(farm, stream))
    expire(farm, stream)
    room, chunk = next_room(farm, stream), allocate(Chunk)
    hold(farm, CHUNK_BYTES)
    block = words_at(resize(0, (1 + farm.columns) * room))
    hold(farm, tuple_bytes(farm, room))
    chunk.room, chunk.times, chunk.values = room, block.address, block[room:].address
    chunk.first_ordinal = stream.tuples
    if stream.youngest == 0:
        stream.oldest = stream.chunk = chunk.address
    else:
        Chunk(stream.youngest).next = chunk.address
    stream.youngest = chunk.address
    return chunk


@inner
def least_low(farm, stream):
    """No window that is still to be handed out begins before."""
    if farm.selects == ATTRIBUTES:
        return as_word(stream.latest - as_float(farm.size))
    if farm.selects == AGES:
        return stream.newest - farm.size
    return window_start(farm.window, stream.next_window)


@inner
def is_before(farm, chunk, place, low):
    if farm.selects == ATTRIBUTES:
        return chunk.values[farm.attribute * chunk.room + place] < as_float(low)
    return (chunk.first_ordinal + place if farm.selects == ORDINALS else chunk.times[place]) < low


@inner
def advance(farm, stream, low):
    """To the first tuple of a window that begins at `low`, as none after it begins before. O(tuples passed)."""
    if stream.chunk == 0:
        return
    chunk, place = Chunk(stream.chunk), stream.place
    while place < chunk.count or chunk.next != 0:
        if place == chunk.count:
            chunk, place = Chunk(chunk.next), 0
        elif is_before(farm, chunk, place, low):
            place += 1
        else:
            break
    stream.chunk, stream.place = chunk.address, place


@inner
def expire(farm, stream):
    """Give back the oldest chunks that no window needs any more, of a key that is over also the last. O(those)."""
    enter(farm.monitor)
    while stream.oldest != (0 if stream.is_over else stream.chunk) and Chunk(stream.oldest).starting == 0:
        release_oldest(farm, stream)
    leave(farm.monitor)
    if stream.is_over:
        stream.chunk, stream.place = stream.oldest, 0
        stream.youngest = stream.youngest if stream.oldest != 0 else 0


@inner
def release_oldest(farm, stream):
    chunk = Chunk(stream.oldest)
    hold(farm, -CHUNK_BYTES - tuple_bytes(farm, chunk.room))
    stream.oldest = chunk.next
    release(chunk.times.address)
    release(chunk.address)


@inner
def expire_all(farm):
    """The same of all keys, also of those whose next window isn't complete yet. O(keys + tuples passed)."""
    for key in range(farm.keys):
        stream = farm.streams[key]
        if stream.oldest != 0:
            if not stream.is_over:
                advance(farm, stream, least_low(farm, stream))
            expire(farm, stream)


@inner
def hand_out(farm, stream, number, start, end):
    """A window is complete: the first idle worker gets it, unless it has no tuples. O(tuples passed)."""
    advance(farm, stream, start)
    chunk = Chunk(stream.chunk)
    count = stream.tuples - chunk.first_ordinal - stream.place
    if count == 0:
        return
    if farm.selects in (ORDINALS, ATTRIBUTES):
        start, end = chunk.times[stream.place], stream.newest + 1
    descriptor = fill_descriptor(farm, stream, number, start, end)
    descriptor.chunk, descriptor.place, descriptor.count = stream.chunk, stream.place, count
    enter(farm.monitor)
    chunk.starting += 1
    farm.handed_out += 1
    wake(farm.monitor)
    leave(farm.monitor)


def hand_out_more(farm: Farm, count):
    """Descriptors of sorted tuples that are filled may be taken."""
    enter(farm.monitor)
    farm.handed_out += count
    wake(farm.monitor)
    leave(farm.monitor)


@inner
def work(farm, worker):
    """Compute windows until there are no more. Each is computed outside of the monitor."""
    enter(farm.monitor)
    while farm.stop == 0:
        if farm.taken == farm.handed_out:
            wait(farm.monitor)
            continue
        ordinal = farm.taken
        farm.taken += 1
        begin(farm, worker, ordinal)
        leave(farm.monitor)
        descriptor = descriptor_at(farm, ordinal)
        if farm.sorted_tuples.address != 0:
            find_sorted(farm.sorted_tuples, worker, descriptor)
        else:
            find_in_chunks(worker, descriptor)
        status = compute(farm, worker, descriptor)
        enter(farm.monitor)
        finish(farm, worker, status)
    leave(farm.monitor)


@inner
def find_in_chunks(worker, descriptor):
    """Its stretches. O(chunks). Behind the window's tuples the last chunk may be written meanwhile, and isn't read."""
    chunk, place, left = Chunk(descriptor.chunk), descriptor.place, descriptor.count
    while left > 0:
        count = min(chunk.count - place, left)
        add_stretch(worker, count, chunk.times[place:], chunk.values[place:], chunk.room)
        left -= count
        if left > 0:
            chunk, place = Chunk(chunk.next), 0


@inner
def find_sorted(tuples, worker, descriptor):
    """The stretches of a window. O(log tuples of the key + tuples between its bounds)."""
    first, end = tuples.first_of_key[descriptor.key], tuples.first_of_key[descriptor.key + 1]
    first = place_from(tuples.times_us, first, end, descriptor.start)
    end = place_from(tuples.times_us, first, end, descriptor.end)
    descriptor.count = descriptor.covered = 0
    while first < end:
        place = first
        while place < end and is_covered(tuples, descriptor, place) and tuples.has_value[place] != 0:
            place += 1
        if place > first:
            add_stretch(worker, place - first, tuples.times_us[first:], tuples.values[first:], tuples.stride)
            descriptor.count += place - first
            descriptor.covered += place - first
        if place < end and is_covered(tuples, descriptor, place):
            descriptor.covered += 1
        first = place + 1


@inner
def is_covered(tuples, descriptor, place):
    """Whether a tuple had arrived, and not too late for the window."""
    return tuples.arrivals_us[place] <= descriptor.known_at and tuples.closed_us[place] < descriptor.end
