"""The inbox of an active worker: a list of blocks of messages, which the emitter adds and the worker gives back.

    worker reads ▼                                    ▼ emitter writes        handled ≤ sent ≤ written
    [ · 900 tuples · · window · · ] ─▶ [ 24 tuples · window · _ _ _ ]

Messages up to `sent` may be read; they are sent by the block, and whenever a window is complete. As long as there is
memory an inbox takes what comes: with room for less than a slide of the windows, the emitter waited for the worker of
one window while the others had nothing to do (a scalability of 1.1 on two cores, where it is 1.9 now).

Tuples travel in runs, column by column: one message for each tuple cost the emitter 48 to 76 ns a tuple, and two
workers were no more than 1.6 times as fast as one.
"""

from windrow.kernels.farm.layout import hold, tuple_bytes
from windrow.kernels.farm.monitor import enter, leave, wake
from windrow.kernels.runtime.fields import Address, Code, Count, Place, Tail, Word
from windrow.kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from windrow.kernels.runtime.struct import Struct

TUPLES, A_WINDOW, KEY_ENDS = range(3)
"""What a message is: neighbouring tuples of a key, a window that has all its tuples, or the end of a key."""
BLOCK_TUPLES = 1 << 10
"""So many at most are one message."""


class Message(Struct):
    """To an active worker. ordinal: of a window among all that were handed out; count: of tuples, whose times stand
    behind it, and then their values, column by column."""

    key: Place
    kind: Code
    ordinal: Count
    count: Count
    columns: Tail(Word)


class Block(Struct):
    """Messages stand behind it. end: where they end, once there is a next block."""

    next: Address
    end: Address


MESSAGE_BYTES, HEAD_BYTES = Message.size_bytes, Block.size_bytes


@inner
def message_bytes(farm, tuples):
    return MESSAGE_BYTES + tuple_bytes(farm, tuples)


@inner
def block_bytes(farm):
    """All the tuples of one message have room in a block."""
    return HEAD_BYTES + message_bytes(farm, BLOCK_TUPLES)


@inner
def has_room(farm):
    """Whether messages take at most half of what the farm may hold, even with one more block for each worker: a run of
    tuples and the windows around it ask for no more. The other half is for private buffers."""
    on_the_way = farm.block_bytes - farm.spare_blocks * block_bytes(farm)
    return 2 * (on_the_way + farm.worker_count * block_bytes(farm)) <= farm.most_held


@inner
def tuples_that_fit(farm, inbox):
    """How many the block that is written takes in one message; fewer than 0 where not even an empty one fits."""
    left = inbox.last + block_bytes(farm) - inbox.write_at if inbox.last != 0 else 0
    return (left - MESSAGE_BYTES) // tuple_bytes(farm, 1)


@inner
def next_message(farm, inbox, key, kind, tuples):
    """A message to be written; with more tuples than fit it is the first of another block."""
    if tuples_that_fit(farm, inbox) < tuples:
        send(inbox)
        add_block(farm, inbox)
    message = Message(inbox.write_at)
    message.key, message.kind, message.count = key, kind, tuples
    inbox.write_at += message_bytes(farm, tuples)
    inbox.written += 1
    return message


@inner
def add_block(farm, inbox):
    not_inlined()
    block = Block(take_spare(farm))
    if block.address == 0:
        block = Block(resize(0, block_bytes(farm) // WORD_BYTES))
    block.next = block.end = 0
    if inbox.last == 0:
        inbox.first, inbox.read_at = block.address, block.address + HEAD_BYTES
    else:
        Block(inbox.last).next, Block(inbox.last).end = block.address, inbox.write_at
    inbox.last, inbox.write_at = block.address, block.address + HEAD_BYTES


@inner
def take_spare(farm):
    """A block that a worker gave back; 0 where there is none, and then it is counted that there will be one more."""
    enter(farm.monitor)
    address = farm.spare
    if address != 0:
        farm.spare = Block(address).next
        farm.spare_blocks -= 1
    else:
        farm.block_bytes += block_bytes(farm)
        hold(farm, block_bytes(farm))
    leave(farm.monitor)
    return address


@inner
def give_back_block(farm, block):
    """The emitter writes it again: released instead, memory came back with page faults, 10 ns a tuple. Only a thread
    that waits for memory is woken: woken for each block, the emitter took a tenth of the workers' cores."""
    enter(farm.monitor)
    block.next = farm.spare
    farm.spare = block.address
    farm.spare_blocks += 1
    farm.changes += 1
    if farm.lacks_memory:
        wake(farm.monitor)
    leave(farm.monitor)


@inner
def send(inbox):
    """The worker may read all that is written."""
    enter(inbox.monitor)
    inbox.sent = inbox.written
    wake(inbox.monitor)
    leave(inbox.monitor)


@inner
def message_to_read(farm, inbox):
    """The next one; the block of those before it is given back where it is the first of another."""
    block = Block(inbox.first)
    if inbox.read_at == block.end:
        inbox.first, inbox.read_at = block.next, block.next + HEAD_BYTES
        give_back_block(farm, block)
    message = Message(inbox.read_at)
    inbox.read_at += message_bytes(farm, message.count)
    return message


@inner
def release_blocks(address):
    while address != 0:
        next_address = Block(address).next
        release(address)
        address = next_address
