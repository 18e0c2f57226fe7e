"""The inbox of an active worker: a list of blocks of messages, which the emitter adds and the worker gives back.

    worker reads ▼                        ▼ emitter writes          read ≤ sent ≤ written
    [ · · 3 4 ] ─▶ [ 5 6 7 8 ] ─▶ [ 9 10 _ _ ]

Messages up to `sent` may be read; they are sent by the block, and whenever a window is complete. As long as there is
memory an inbox takes what comes: with room for less than a slide of the windows, the emitter waited for the worker of
one window while the others had nothing to do (a scalability of 1.1 on two cores, where it is 1.9 now).
"""

from kernels.farm.layout import Message
from kernels.farm.monitor import enter, leave, wake
from kernels.runtime.fields import Address
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from kernels.runtime.struct import Struct

BLOCK_MESSAGES = 1 << 10
MESSAGE_BYTES = Message.size_bytes


class Block(Struct):
    """Messages stand behind it."""

    next: Address


HEAD_BYTES = Block.size_bytes


@inner
def message_bytes(farm):
    """Of one message."""
    return MESSAGE_BYTES + farm.columns * WORD_BYTES


@inner
def block_bytes(farm):
    """Of a block."""
    return HEAD_BYTES + BLOCK_MESSAGES * message_bytes(farm)


@inner
def has_room(farm):
    """Whether messages take at most half of what the farm may hold, even with one more block for each worker: a tuple
    and the windows around it ask for no more. The other half is for private buffers."""
    return 2 * (farm.on_the_way + farm.worker_count * block_bytes(farm)) <= farm.most_held


@inner
def least_held(farm):
    """What a farm must be allowed to hold: a worker keeps the block that it has read until it reads the next one."""
    return 4 * farm.worker_count * block_bytes(farm)


@inner
def next_message(farm, inbox):
    """A message to be written."""
    place = inbox.written % BLOCK_MESSAGES
    if place == 0:
        send(inbox)
        add_block(farm, inbox)
    inbox.written += 1
    return Message(inbox.last + HEAD_BYTES + place * message_bytes(farm))


@inner
def add_block(farm, inbox):
    """Room for more."""
    not_inlined()
    block = Block(resize(0, block_bytes(farm) // WORD_BYTES))
    block.next = 0
    if inbox.last == 0:
        inbox.first = block.address
    else:
        Block(inbox.last).next = block.address
    inbox.last = block.address
    hold(farm, block_bytes(farm))


@inner
def hold(farm, more_bytes):
    """Messages take more bytes, or fewer."""
    enter(farm.monitor)
    farm.on_the_way += more_bytes
    farm.held += more_bytes
    farm.greatest_held = max(farm.greatest_held, farm.held)
    farm.changes += 1
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
def message_to_read(farm, inbox, ordinal):
    """The message of that number; the block of those before it is given back when it is the first of another."""
    place = ordinal % BLOCK_MESSAGES
    if place == 0 and ordinal > 0:
        block = Block(inbox.first)
        inbox.first = block.next
        release(block.address)
        hold(farm, -block_bytes(farm))
    return Message(inbox.first + HEAD_BYTES + place * message_bytes(farm))


@inner
def close(inbox):
    """No more messages come."""
    enter(inbox.monitor)
    inbox.is_over = True
    wake(inbox.monitor)
    leave(inbox.monitor)


@inner
def release_blocks(inbox):
    """Give all blocks back."""
    while inbox.first != 0:
        block = Block(inbox.first)
        inbox.first = block.next
        release(block.address)
