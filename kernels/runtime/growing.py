"""Lists that grow inside compiled code: a block of words, of which some are used."""

from windrow.kernels.runtime.fields import Address, Words
from windrow.kernels.runtime.memory import inner, not_inlined, release, resize
from windrow.kernels.runtime.struct import Struct


class GrowingList(Struct):
    """first ─▶ [used words][words to spare], `room` in all; a list of structures says in `first` of which."""

    first: Address
    used: Words
    room: Words


@inner
def append(growing, words):
    """Address of `words` new words at the end; valid until the next append. O(1) amortised."""
    not_inlined()
    growing = GrowingList(growing)
    used = growing.used
    if used + words > growing.room:
        room = 2 * (used + words) + 64
        growing.first = resize(growing.first, room)
        growing.room = room
    growing.used = used + words
    return growing.first + 8 * used


@inner
def release_list(growing):
    growing = GrowingList(growing)
    release(growing.first)
    growing.first = growing.used = growing.room = 0
