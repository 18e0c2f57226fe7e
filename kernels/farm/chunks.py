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

from kernels.farm.layout import FOREVER, Chunk, Farm
from kernels.farm.monitor import enter, leave
from kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined, release, resize
from kernels.runtime.struct import allocate

LEAST_TUPLES = 16
CHUNK_BYTES = Chunk.size_bytes


@inner
def block_bytes(farm, room):
    """Of the tuples of a chunk that has room for so many."""
    return (1 + farm.columns) * room * WORD_BYTES


@inner
def first_room(farm):
    """Of a key's first chunk, in tuples."""
    return min(LEAST_TUPLES, farm.chunk_tuples)


@inner
def next_room(farm, stream):
    """Of the next one: less where memory becomes scarce."""
    if farm.chunk_us > 0 or stream.youngest == 0:
        return first_room(farm)
    room = min(2 * Chunk(stream.youngest).room, farm.chunk_tuples)
    while room > first_room(farm) and farm.held + CHUNK_BYTES + block_bytes(farm, room) > farm.most_held:
        room = max(room >> 1, first_room(farm))
    return room


@inner
def least_held(farm):
    """What a farm must be allowed to hold: one chunk."""
    return CHUNK_BYTES + block_bytes(farm, first_room(farm))


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
    """A tuple goes behind the key's others."""
    time = batch.times[row]
    chunk = Chunk(stream.youngest)
    if stream.youngest == 0 or time >= chunk.until:
        chunk = add_chunk(farm, stream, time)
    elif chunk.count == chunk.room:
        chunk = make_room(farm, stream, chunk, time)
    place = chunk.count
    chunk.times[place] = time
    for column in range(farm.columns):
        chunk.values[column * chunk.room + place] = batch.values[column * batch.count + row]
    chunk.count = place + 1


@inner
def room_limits(stream):
    """Until which time, and how many, tuples go into the key's youngest chunk as it is."""
    if stream.youngest == 0:
        return 0, 0
    chunk = Chunk(stream.youngest)
    return chunk.until, chunk.room - chunk.count


@inner
def append_all(farm, chunk, batch, first, count):
    """Tuples go behind the others of a chunk that has room for them."""
    place = chunk.count
    move(chunk.times[place:].address, batch.times[first:].address, count)
    for column in range(farm.columns):
        target = chunk.values[column * chunk.room + place :]
        move(target.address, batch.values[column * batch.count + first :].address, count)
    chunk.count = place + count


@inner
def make_room(farm, stream, chunk, time):
    """A chunk with room: a larger one of the same stretch of time, or one more of so many tuples."""
    if farm.chunk_us == 0:
        return add_chunk(farm, stream, time)
    reserve(farm, chunk, 2 * chunk.room)
    return chunk


@inner
def add_chunk(farm, stream, time):
    """A chunk behind the others; the oldest that nobody needs go."""
    not_inlined()
    advance(farm, stream, farm.extents.least_low(farm, stream))
    expire(farm, stream)
    room, chunk = next_room(farm, stream), allocate(Chunk)
    farm.held += CHUNK_BYTES
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
    block = resize(0, (1 + farm.columns) * room)
    farm.held += block_bytes(farm, room)
    farm.greatest_held = max(farm.greatest_held, farm.held)
    farm.held -= block_bytes(farm, chunk.room)
    if chunk.room > 0:
        move(block, chunk.times.address, chunk.count)
        for column in range(farm.columns):
            values = chunk.values[column * chunk.room :]
            move(block + WORD_BYTES * room * (1 + column), values.address, chunk.count)
        release(chunk.times.address)
    chunk.room, chunk.times, chunk.values = room, block, block + WORD_BYTES * room


@inner
def advance(farm, stream, low):
    """The first tuple of a window that begins at `low`; windows begin never before the one that came before them.
    O(tuples passed)."""
    if stream.chunk == 0:
        return
    chunk, place, is_there = Chunk(stream.chunk), stream.place, False
    while not is_there:
        if place < chunk.count:
            is_there = farm.extents.is_before(farm, chunk, place, low) == 0
            place += 0 if is_there else 1
        elif chunk.next != 0:
            chunk, place = Chunk(chunk.next), 0
        else:
            is_there = True
    stream.chunk, stream.place, stream.ordinal = chunk.address, place, chunk.first_ordinal + place


@inner
def expire(farm, stream):
    """Give back the oldest chunks that no window needs any more. O(those)."""
    enter(farm.monitor)
    while stream.oldest != stream.chunk and Chunk(stream.oldest).starting == 0:
        release_oldest(farm, stream)
    leave(farm.monitor)


@inner
def release_oldest(farm, stream):
    """Give back the oldest chunk."""
    chunk = Chunk(stream.oldest)
    farm.held -= CHUNK_BYTES + block_bytes(farm, chunk.room)
    stream.oldest = chunk.next
    release(chunk.times.address)
    release(chunk.address)


@inner
def expire_all(farm: Farm):
    """The same of all keys, also of those whose next window isn't complete yet, and of those that are over.
    O(keys + tuples passed)."""
    for key in range(farm.keys):
        stream = farm.streams[key]
        if stream.oldest != 0 and stream.is_over:
            forget(farm, stream)
        elif stream.oldest != 0:
            advance(farm, stream, farm.extents.least_low(farm, stream))
            expire(farm, stream)


@inner
def forget(farm, stream):
    """Give back the oldest chunks of a key that is over, also the last, where no window at work begins in them."""
    enter(farm.monitor)
    while stream.oldest != 0 and Chunk(stream.oldest).starting == 0:
        release_oldest(farm, stream)
    leave(farm.monitor)
    stream.chunk = stream.oldest
    if stream.oldest == 0:
        stream.youngest = 0
    else:
        stream.place, stream.ordinal = 0, Chunk(stream.oldest).first_ordinal
