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
    """A tuple goes behind the others; amortised O(columns)."""
    if deque.end == deque.room:
        make_room(farm, deque)
    place = deque.end
    deque.lows[place], deque.times[place] = message.low, message.time
    for column in range(farm.columns):
        deque.values[column * deque.room + place] = message.values[column]
    deque.end = place + 1


@inner
def expire(deque, low):
    """Windows of this worker begin never before the last one: what lies before is not needed again. O(expired)."""
    while deque.first < deque.end and deque.lows[deque.first] < low:
        deque.first += 1


@inner
def make_room(farm, deque):
    """Move the tuples to the beginning, into twice the room unless half of it is free."""
    not_inlined()
    count, room = deque.end - deque.first, deque.room
    if 2 * count > room or room == 0:
        room = max(2 * room, LEAST_TUPLES)
        hold(farm, (2 + farm.columns) * (room - deque.room) * WORD_BYTES)
    block = resize(0, (2 + farm.columns) * room)
    move(block, deque.lows[deque.first :].address, count)
    move(block + WORD_BYTES * room, deque.times[deque.first :].address, count)
    for column in range(farm.columns):
        values = deque.values[column * deque.room + deque.first :]
        move(block + WORD_BYTES * room * (2 + column), values.address, count)
    release(deque.lows.address)
    deque.lows, deque.times, deque.values = block, block + WORD_BYTES * room, block + 2 * WORD_BYTES * room
    deque.room, deque.first, deque.end = room, 0, count


@inner
def hold(farm, more_bytes):
    """Private buffers take more memory; the farm ends where that is more than the half of its own that is theirs."""
    enter(farm.monitor)
    farm.held += more_bytes
    farm.greatest_held = max(farm.greatest_held, farm.held)
    if 2 * (farm.held - farm.on_the_way) > farm.most_held:
        farm.wrong = TOO_LARGE
        wake(farm.monitor)
    leave(farm.monitor)
