"""Addresses in order, in one block: some go in between, and the first ones go.

    order    · · │ a │ b │ c │ · ·        places first … end − 1 of `room`
                 ▲ first     ▲ end

A new one at the end costs O(1) amortised, elsewhere O(those behind it).
"""

from windrow.kernels.runtime.fields import Address, Count, Place, Pointer
from windrow.kernels.runtime.memory import inner, move, not_inlined, release, resize
from windrow.kernels.runtime.struct import Struct

LEAST_ROOM = 16


class AddressList(Struct):
    """Addresses first … end − 1 of `order`; what has one goes on with fields of its own."""

    first: Place
    end: Place
    room: Count
    order: Pointer(Address)


@inner
def insert_address(addresses, place, address):
    """Put one at a place from first to end. Returns by how much all places moved down.
    O(those behind it), amortised."""
    not_inlined()
    moved = 0
    if addresses.end == addresses.room:
        moved = _make_room(addresses)
        place -= moved
    move(addresses.order[place + 1 :].address, addresses.order[place:].address, addresses.end - place)
    addresses.end += 1
    addresses.order[place] = address
    return moved


@inner
def _make_room(addresses):
    """For one more: all move to the beginning, into twice the room unless half of it is free. Returns by how much."""
    moved, count = addresses.first, addresses.end - addresses.first
    if 2 * count >= addresses.room:
        room = max(LEAST_ROOM, 2 * addresses.room)
        made = resize(0, room)
        if count > 0:
            move(made, addresses.order[moved:].address, count)
        release_addresses(addresses)
        addresses.order, addresses.room = made, room
    else:
        move(addresses.order.address, addresses.order[moved:].address, count)
    addresses.first, addresses.end = 0, count
    return moved


@inner
def remove_address(addresses, place):
    """Take one out. O(1) for the first, else O(those behind it)."""
    if place == addresses.first:
        addresses.first += 1
    else:
        addresses.end -= 1
        move(addresses.order[place:].address, addresses.order[place + 1 :].address, addresses.end - place)


@inner
def release_addresses(addresses):
    """Give the block back, whatever stands in it."""
    if addresses.room > 0:
        release(addresses.order.address)
    addresses.room = 0
