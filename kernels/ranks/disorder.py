"""How disordered a key's events are, from the events alone: what the choice of a kernel stands on.

The choice must follow from query and data (semantics §4): not from cores, partitions or the machine at hand.
"""

from kernels.runtime.guarded import guarded_entry
from kernels.runtime.memory import inner, not_inlined, release, resize
from kernels.runtime.sorting import insert_ascending
from kernels.runtime.struct import words_at

SAMPLE = 1024
SPREAD = 40503
FAR = 16384
"""Mean number of entries that an event arrives behind, from which disorder counts as extreme
(docs/decisions/0012-kernels-by-events.md)."""

MOST_RANKED_WORDS = 16
"""Words of a state up to which keys are given to kernels that hold a state for every event of the key at once."""

IN_ORDER, BY_TREE, BY_RANKS = range(3)
"""What a key's events ask for: two stacks, a finger tree, or ranks."""


@inner
def count_in_order(times, events):
    """How many events come before the first that is older than the one before it."""
    place = 1
    while place < events and times[place - 1] <= times[place]:
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
        younger += sampled - insert_ascending(spare, sampled, times[first + sampled * SPREAD % stride])
        sampled += 1
    return younger * stride // max(1, sampled)


@inner
def what_it_asks_for(times, events, commutes, spare):
    """IN_ORDER, BY_TREE or BY_RANKS, for one key's event times in order of arrival; ranks only for aggregates that
    commute. spare: room for SAMPLE words. O(events)."""
    if count_in_order(times, events) == events:
        return IN_ORDER
    if commutes and events > 2 * FAR and mean_distance(times, events, spare) >= FAR:
        return BY_RANKS
    return BY_TREE


@guarded_entry
def classify_keys(starts, offsets, keys, commutes, kinds):
    """Write what each key's events ask for to `kinds`. O(events).

    starts, offsets, kinds: addresses of words; commutes: 1 if ranks may be asked for."""
    starts, offsets, kinds = words_at(starts), words_at(offsets), words_at(kinds)
    spare = resize(0, SAMPLE)
    for key in range(keys):
        first, end = offsets[key], offsets[key + 1]
        kinds[key] = what_it_asks_for(starts[first:], end - first, commutes == 1, words_at(spare))
    release(spare)
