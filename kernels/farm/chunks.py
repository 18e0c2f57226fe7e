"""The shared buffer of agnostic workers: chunks of a key's tuples, written by the emitter only, copied for no window.

    [ 16 tuples ] ─▶ [ 32 tuples ] ─▶ [ 64 tuples ] ─▶ [ 12 tuples, room for 128 ]
         ╰────── window 0 ─────────────────╯
                          ╰──────── window 1 ────────────────╯

Windows begin and end in the middle of chunks (FARM §5.4.3.1): each chunk has twice the room of the key's last one, up
to a number of tuples, and never moves; the emitter writes behind what workers may read. The oldest chunk is given back
when no window that begins in it is at work any more and the next window begins behind it.

For windows of times FARM cuts chunks where windows are cut (§5.4.2.1, fig. 23: of 1 s by 300 ms every 100 ms, the
greatest common divisor); that is here too, when asked for by a timedelta. A worker never reads the one that is written,
and so it may move while it grows. Windows of 600 tuples in 60 such chunks cost farm and function 1.3 times as much.
"""

from kernels.farm.extents import is_before, least_low
from kernels.farm.layout import FOREVER, Chunk, copy_tuples, hold
from kernels.farm.monitor import enter, leave
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from kernels.runtime.struct import allocate, words_at

LEAST_TUPLES = 16
CHUNK_BYTES = Chunk.size_bytes


@inner
def block_bytes(farm, room):
    """Of so many tuples."""
    return (1 + farm.columns) * room * WORD_BYTES


@inner
def next_room(farm, stream):
    """Of a key's next chunk, in tuples: less where memory becomes scarce."""
    least = min(LEAST_TUPLES, farm.chunk_tuples)
    if farm.chunk_us > 0 or stream.youngest == 0:
        return least
    room = min(2 * Chunk(stream.youngest).room, farm.chunk_tuples)
    while room > least and farm.held + CHUNK_BYTES + block_bytes(farm, room) > farm.most_held:
        room = max(room >> 1, least)
    return room


@inner
def bytes_needed(farm, stream, time):
    """What one more tuple asks for. A chunk that moves is there twice meanwhile."""
    chunk = Chunk(stream.youngest)
    if stream.youngest != 0 and time < chunk.until:
        if chunk.count < chunk.room:
            return 0
        if farm.chunk_us > 0:
            return block_bytes(farm, 2 * chunk.room)
    return CHUNK_BYTES + block_bytes(farm, next_room(farm, stream))


@inner
def append(farm, stream, batch, row):
    """A tuple goes behind the key's others. A full chunk of a stretch of time becomes larger."""
    time = batch.times[row]
    chunk = Chunk(stream.youngest)
    if stream.youngest == 0 or time >= chunk.until or (chunk.count == chunk.room and farm.chunk_us == 0):
        chunk = add_chunk(farm, stream, time)
    elif chunk.count == chunk.room:
        reserve(farm, chunk, 2 * chunk.room)
    place = chunk.count
    chunk.times[place] = time
    for column in range(farm.columns):
        chunk.values[column * chunk.room + place] = batch.values[column * batch.count + row]
    chunk.count = place + 1


@inner
def append_all(farm, chunk, batch, first, count):
    place = chunk.count
    given = (batch.times[first:], batch.values[first:], batch.count)
    copy_tuples(farm, count, (chunk.times[place:], chunk.values[place:], chunk.room), given)
    chunk.count = place + count


@inner
def add_chunk(farm, stream, time):
    """A chunk behind the others; the oldest that no window needs go."""
    not_inlined()
    advance(farm, stream, least_low(farm, stream))
    expire(farm, stream)
    room, chunk = next_room(farm, stream), allocate(Chunk)
    hold(farm, CHUNK_BYTES)
    chunk.until, chunk.first_ordinal = FOREVER, stream.tuples
    if farm.chunk_us > 0:
        chunk.until = time - (time - farm.chunk_origin) % farm.chunk_us + farm.chunk_us
    reserve(farm, chunk, room)
    if stream.youngest == 0:
        stream.oldest = stream.chunk = chunk.address
    else:
        Chunk(stream.youngest).next = chunk.address
    stream.youngest = chunk.address
    return chunk


@inner
def reserve(farm, chunk, room):
    """Room for so many tuples, of which each column is in one piece."""
    not_inlined()
    block = words_at(resize(0, (1 + farm.columns) * room))
    hold(farm, block_bytes(farm, room))
    hold(farm, -block_bytes(farm, chunk.room))
    if chunk.room > 0:
        copy_tuples(farm, chunk.count, (block, block[room:], room), (chunk.times, chunk.values, chunk.room))
        release(chunk.times.address)
    chunk.room, chunk.times, chunk.values = room, block.address, block[room:].address


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
    stream.chunk, stream.place, stream.ordinal = chunk.address, place, chunk.first_ordinal + place


@inner
def expire(farm, stream):
    """Give back the oldest chunks that no window needs any more, of a key that is over also the last. O(those)."""
    enter(farm.monitor)
    while stream.oldest != (0 if stream.is_over else stream.chunk) and Chunk(stream.oldest).starting == 0:
        release_oldest(farm, stream)
    leave(farm.monitor)
    if stream.is_over:
        stream.chunk = stream.oldest
        if stream.oldest == 0:
            stream.youngest = 0
        else:
            stream.place, stream.ordinal = 0, Chunk(stream.oldest).first_ordinal


@inner
def release_oldest(farm, stream):
    chunk = Chunk(stream.oldest)
    hold(farm, -CHUNK_BYTES - block_bytes(farm, chunk.room))
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
