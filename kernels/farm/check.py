"""What always holds of a farm between two calls of its emitter."""

from kernels.farm.chunks import CHUNK_BYTES, block_bytes
from kernels.farm.descriptors import descriptor_at
from kernels.farm.layout import COMPUTED, Chunk, Farm
from kernels.farm.monitor import enter, leave
from kernels.runtime.memory import inner

INVARIANTS = (
    "",
    "collected ≤ taken ≤ handed out ≤ collected + ring",
    "as many descriptors are computed as the farm counts",
    "the times of a key's chunks never fall, and lie before the chunk's end",
    "a key's chunks have its newest tuples, without a gap",
    "a chunk counts the windows at work that begin in it",
    "the chunk in which the next window begins is there",
    "the bytes held are those of the chunks",
)
"""By number."""
RING_ORDER, COMPUTED_COUNT, TIMES_RISE, TUPLES_COUNT, STARTING_COUNT, FIRST_TUPLE, BYTES_COUNT = range(1, 8)


def count_broken(farm: Farm):
    """The number of the first invariant that doesn't hold, or 0. O(ring + tuples held)."""
    enter(farm.monitor)
    broken, computed = 0, farm.collected
    for ordinal in range(farm.collected, farm.handed_out):
        computed += 1 if descriptor_at(farm, ordinal).state == COMPUTED else 0
    if not farm.collected <= farm.taken <= farm.handed_out <= farm.collected + farm.ring:
        broken = RING_ORDER
    elif computed != farm.computed:
        broken = COMPUTED_COUNT
    elif not farm.is_active:
        broken = of_chunks(farm)
    leave(farm.monitor)
    return broken


@inner
def of_chunks(farm):
    held = 0
    for key in range(farm.keys):
        stream, tuples, is_there = farm.streams[key], 0, farm.streams[key].chunk == 0
        at = stream.oldest
        while at != 0:
            chunk = Chunk(at)
            broken = of_chunk(farm, stream, chunk, tuples)
            if broken != 0:
                return broken
            is_there = is_there or at == stream.chunk
            tuples += chunk.count
            held += CHUNK_BYTES + block_bytes(farm, chunk.room)
            at = chunk.next
        if not is_there:
            return FIRST_TUPLE
        if stream.oldest != 0 and Chunk(stream.oldest).first_ordinal + tuples != stream.tuples:
            return TUPLES_COUNT
    return 0 if held == farm.held else BYTES_COUNT


@inner
def of_chunk(farm, stream, chunk, before):
    if chunk.first_ordinal != Chunk(stream.oldest).first_ordinal + before:
        return TUPLES_COUNT
    for place in range(chunk.count):
        if chunk.times[place] >= chunk.until or (place > 0 and chunk.times[place] < chunk.times[place - 1]):
            return TIMES_RISE
    starting = 0
    for ordinal in range(farm.collected, farm.handed_out):
        descriptor = descriptor_at(farm, ordinal)
        starting += 1 if descriptor.state != COMPUTED and descriptor.chunk == chunk.address else 0
    return 0 if starting == chunk.starting else STARTING_COUNT
