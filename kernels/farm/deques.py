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
def append(farm, deque, message):
    """Whether there was memory for a tuple, which goes behind the others; amortised O(columns)."""
    if deque.end == deque.room and not make_room(farm, deque):
        return False
    place = deque.end
    deque.lows[place], deque.times[place] = message.low, message.time
    for column in range(farm.columns):
        deque.values[column * deque.room + place] = message.values[column]
    deque.end = place + 1
    return True


@inner
def expire(deque, low):
    """Windows of this worker begin never before the last one: what lies before is not needed again. O(expired)."""
    while deque.first < deque.end and deque.lows[deque.first] < low:
        deque.first += 1


@inner
def make_room(farm, deque):
    """Whether there is room for one more tuple: the tuples move to the beginning, into twice the room unless half of it
    is free."""
    not_inlined()
    count, room = deque.end - deque.first, deque.room
    if 2 * count <= room and room > 0:
        move_to(farm, deque, deque.lows.address, room)
        return True
    room = max(2 * room, LEAST_TUPLES)
    if not hold(farm, bytes_of(farm, room)):
        return False
    block, old_bytes = resize(0, bytes_of(farm, room) // WORD_BYTES), bytes_of(farm, deque.room)
    old = deque.lows.address if deque.room > 0 else 0
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
        release(deque.lows.address)


@inner
def bytes_of(farm, room):
    """Of so many tuples."""
    return (2 + farm.columns) * room * WORD_BYTES


@inner
def move_to(farm, deque, block, room):
    """The tuples move to the beginning of a block, which may be their own."""
    count = deque.end - deque.first
    move(block, deque.lows[deque.first :].address, count)
    move(block + WORD_BYTES * room, deque.times[deque.first :].address, count)
    for column in range(farm.columns):
        values = deque.values[column * deque.room + deque.first :]
        move(block + WORD_BYTES * room * (2 + column), values.address, count)
    deque.lows, deque.times, deque.values = block, block + WORD_BYTES * room, block + 2 * WORD_BYTES * room
    deque.room, deque.first, deque.end = room, 0, count


@inner
def hold(farm, more_bytes):
    """Whether private buffers may take more memory. The farm ends where that is more than the half of its own that is
    theirs. A buffer that moves is there twice meanwhile."""
    enter(farm.monitor)
    fits = more_bytes <= 0 or 2 * (farm.held - farm.on_the_way + more_bytes) <= farm.most_held
    if fits:
        farm.held += more_bytes
        farm.greatest_held = max(farm.greatest_held, farm.held)
    else:
        farm.wrong = TOO_LARGE
        wake(farm.monitor)
    leave(farm.monitor)
    return fits
