"""What always holds of a farm between two calls of its emitter: plain Python over memory as it stands, while no worker
changes it."""

from windrow.kernels.farm import monitor
from windrow.kernels.farm.agnostic import CHUNK_BYTES
from windrow.kernels.farm.layout import COMPUTED, Chunk, Descriptor, Farm, Substream
from windrow.kernels.runtime.guarded import guarded_entry
from windrow.kernels.runtime.memory import WORD_BYTES


@guarded_entry
def enter(farm: Farm):
    monitor.enter(farm.monitor)


@guarded_entry
def leave(farm: Farm):
    monitor.leave(farm.monitor)


def check_farm(farm: Farm) -> None:
    """Raises AssertionError with a sentence for the first invariant that doesn't hold. O(ring · chunks + tuples)."""
    enter(farm.address)
    try:
        _check_ring(farm)
        if not farm.is_active:
            held = sum(_check_chunks(farm, farm.streams[key]) for key in range(farm.keys))
            assert held == farm.held, "the bytes held are those of the chunks"
    finally:
        leave(farm.address)


def _check_ring(farm: Farm) -> None:
    collected, taken, handed_out = farm.collected, farm.taken, farm.handed_out
    in_order = collected <= taken <= handed_out <= collected + farm.ring
    assert in_order, "collected ≤ taken ≤ handed out ≤ collected + ring"
    computed = sum(each.state == COMPUTED for each in _handed_out(farm))
    assert collected + computed == farm.computed, "as many descriptors are computed as the farm counts"


def _check_chunks(farm: Farm, stream: Substream) -> int:
    """Returns how many bytes they take."""
    address, held, is_there, tuples = stream.oldest, 0, stream.chunk == 0, stream.tuples
    if address:
        tuples = Chunk(address).first_ordinal
    while address:
        chunk = Chunk(address)
        assert chunk.first_ordinal == tuples, "a key's chunks have its newest tuples, without a gap"
        times = [chunk.times[place] for place in range(chunk.count)]
        assert times == sorted(times), "the times of a key's chunks never fall"
        starting = sum(each.chunk == address and each.state != COMPUTED for each in _handed_out(farm))
        assert starting == chunk.starting, "a chunk counts the windows at work that begin in it"
        held += CHUNK_BYTES + (1 + farm.columns) * chunk.room * WORD_BYTES
        is_there, tuples, address = is_there or address == stream.chunk, tuples + chunk.count, chunk.next
    assert is_there, "the chunk in which the next window begins is there"
    assert tuples == stream.tuples, "a key's chunks have its newest tuples, without a gap"
    return held


def _handed_out(farm: Farm) -> list[Descriptor]:
    return [farm.descriptors[ordinal & (farm.ring - 1)] for ordinal in range(farm.collected, farm.handed_out)]
