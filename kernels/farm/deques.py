"""The private buffer of an active worker for one key: its tuples in one piece, which new ones join at the end and
expired ones leave at the beginning (FARM §5.3.2).

    [ · · · 4 5 6 · · ]     expired 1 to 3; at the end of the room tuples move to its beginning, or into twice the room
            ▲ first ▲ end
"""

from kernels.farm.layout import TOO_LARGE
from kernels.farm.monitor import enter, leave, wake
from kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined, release, resize

LEAST_TUPLES = 16


@inner
def append_all(farm, deque, message):
    """Whether there was memory for the tuples of a message, which go behind the others; amortised O(tuples ·
    columns)."""
    count, place = message.count, deque.end
    if place + count > deque.room:
        if not make_room(farm, deque, count):
            return False
        place = deque.end
    move(deque.times[place:].address, message.columns.address, count)
    for column in range(farm.columns):
        target = deque.values[column * deque.room + place :]
        move(target.address, message.columns[(1 + column) * count :].address, count)
    if farm.by_ordinal:
        for i in range(count):
            deque.lows[place + i] = message.low + i
    deque.end = place + count
    return True


@inner
def expire(deque, low):
    """Windows of this worker begin never before the last one: what lies before is not needed again. O(expired)."""
    while deque.first < deque.end and deque.lows[deque.first] < low:
        deque.first += 1


@inner
def make_room(farm, deque, more):
    """Whether there is room for more tuples: the others move to the beginning, into twice the room unless half of it is
    free."""
    not_inlined()
    count, room = deque.end - deque.first, deque.room
    if 2 * count <= room and count + more <= room:
        move_to(farm, deque, deque.times.address, room)
        return True
    room = max(2 * room, count + more, LEAST_TUPLES)
    if not hold(farm, bytes_of(farm, room)):
        return False
    block, old_bytes = resize(0, bytes_of(farm, room) // WORD_BYTES), bytes_of(farm, deque.room)
    old = deque.times.address if deque.room > 0 else 0
    move_to(farm, deque, block, room)
    release(old)
    return hold(farm, -old_bytes)


@inner
def give_back(farm, deque):
    """The tuples are needed no more."""
    hold(farm, -bytes_of(farm, deque.room))
    release_block(deque)
    deque.room = deque.first = deque.end = 0


@inner
def release_block(deque):
    """Without room there is no block."""
    if deque.room > 0:
        release(deque.times.address)


@inner
def bytes_of(farm, room):
    """Of so many tuples: their times, values, and ordinals where these select them."""
    return (1 + farm.columns + farm.by_ordinal) * room * WORD_BYTES


@inner
def move_to(farm, deque, block, room):
    """The tuples move to the beginning of a block, which may be their own."""
    count, lows = deque.end - deque.first, block
    move(block, deque.times[deque.first :].address, count)
    for column in range(farm.columns):
        values = deque.values[column * deque.room + deque.first :]
        move(block + WORD_BYTES * room * (1 + column), values.address, count)
    if farm.by_ordinal:
        lows = block + WORD_BYTES * room * (1 + farm.columns)
        move(lows, deque.lows[deque.first :].address, count)
    deque.lows, deque.times, deque.values = lows, block, block + WORD_BYTES * room
    deque.room, deque.first, deque.end = room, 0, count


@inner
def hold(farm, more_bytes):
    """Whether private buffers may take more memory. The farm ends where that is more than the half of its own that is
    theirs. A buffer that moves is there twice meanwhile."""
    enter(farm.monitor)
    fits = more_bytes <= 0 or 2 * (farm.held - farm.block_bytes + more_bytes) <= farm.most_held
    if fits:
        farm.held += more_bytes
        farm.greatest_held = max(farm.greatest_held, farm.held)
    else:
        farm.wrong = TOO_LARGE
        wake(farm.monitor)
    leave(farm.monitor)
    return fits
