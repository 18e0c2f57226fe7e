"""How disordered a key's events are, from the events alone: what the choice of a kernel stands on.

The choice must follow from query and data (semantics §4): not from cores, partitions or the machine at hand.
"""

from kernels.memory import inner, load, not_inlined, store

SAMPLE = 1024
SPREAD = 40503
FAR = 65536
"""Mean number of entries that an event arrives behind, from which disorder counts as extreme (shared/performance)."""


@inner
def count_in_order(times, events):
    """How many events come before the first that is older than the one before it."""
    place = 1
    while place < events and load(times, place - 1) <= load(times, place):
        place += 1
    return min(place, events)


@inner
def mean_distance(times, events, spare):
    """About how many younger events arrived before an event, on average: counted in a sample of them, by inserting it
    into a sorted list, and scaled up. spare: room for SAMPLE words. O(SAMPLE²) at worst."""
    not_inlined()
    stride = (events + SAMPLE - 1) // SAMPLE
    sampled = younger = 0
    for first in range(0, events - stride + 1, stride):
        # Not every stride-th: late events may come at a fixed beat.
        time, place = load(times, first + sampled * SPREAD % stride), sampled
        while place > 0 and load(spare, place - 1) > time:
            store(spare, place, load(spare, place - 1))
            place -= 1
        store(spare, place, time)
        younger += sampled - place
        sampled += 1
    return younger * stride // max(1, sampled)
