"""The compiled pass over the probes of a key, once for each size: both bounds of a window only rise, so that a finger
tree that slides along answers each probe by a query of O(1) (FIBA §3).

    time ──a───c──────P1──b───d──P2──▶       b is known after P1, though it happened before c
    P1   insert a, c                         query: a ⊗ c
    P2   evict a; insert b, d                query: b ⊗ c ⊗ d, in order of event time

An event comes in at the first probe at or after its `enters`; one that the window has left behind by then never does.
"""

from windrow.kernels.aggregators._dispatch import FOREVER, PointKernel
from windrow.kernels.aggregators.finger_tree import USUAL_ARITY
from windrow.kernels.replay.stop import Stop, must_stop
from windrow.kernels.runtime.fields import Address, Bytes, Count, Inline, Microseconds, Place, Pointer, Ref, Word
from windrow.kernels.runtime.memory import inner, not_inlined, release, resize
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import BYTE, Struct
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import clear, copy_state, lower_each
from windrow.kernels.states.layout import Events, StatePlan

BATCH = 256
"""Probes whose states are lowered together."""
NO_FAILURE = -1


class ProbeOutputs(Struct):
    """Output o of probe p with the size at hand is words[o · probes + p], null where nulls[o · probes + p] is 1.
    failed: the first output without a right answer, of failed_probe, or NO_FAILURE."""

    probes: Count
    outputs: Count
    slots: Pointer(Place)
    words: Pointer(Word)
    nulls: Pointer(BYTE)
    failed: Place
    failed_probe: Place


class Probing(Struct):
    """Probes of a key ascend, and its events ascend by `enters`; starts: of the events, by which windows hold them.

    tree: what the window of the key at hand holds; oldest: its oldest time, FOREVER where it is empty
    states: of up to BATCH probes, which wait to be lowered
    burst: the events from one place on
    """

    plan: Ref(StatePlan)
    state_bytes: Bytes
    size: Microseconds
    events: Ref(Events)
    starts: Pointer(Microseconds)
    enters: Pointer(Microseconds)
    first_event: Pointer(Place)
    probes: Pointer(Microseconds)
    first_probe: Pointer(Place)
    outputs: Ref(ProbeOutputs)
    kernel: Ref(PointKernel)
    tree: Address
    oldest: Microseconds
    states: Address
    burst: Inline(Events)
    stop: Inline(Stop)


class ProbeCalls(Struct):
    """probe(p, keys): write the outputs of all probes of some keys, until the call is asked to stop; end_probe(p)."""

    probe: Operation(Probing, Count)
    end_probe: Operation(Probing)


def probe(p: Probing, keys):
    if p.tree == 0:
        p.tree = p.kernel.create(p.plan, USUAL_ARITY, 0)
        p.states = resize(0, BATCH * p.plan.state_words)
        p.burst.rows = p.events.rows
    key = 0
    while key < keys and not must_stop(p.stop):
        _probe_key(p, key)
        p.kernel.reset(p.tree)
        key += 1


def end_probe(p: Probing):
    if p.tree != 0:
        p.kernel.destroy(p.tree)
    release(p.states)


@inner
def _probe_key(p, key):
    not_inlined()
    event, end = p.first_event[key], p.first_event[key + 1]
    first, last = p.first_probe[key], p.first_probe[key + 1]
    p.oldest = FOREVER
    while first < last and not must_stop(p.stop):
        taken = min(BATCH, last - first)
        for place in range(taken):
            time = p.probes[first + place]
            event = _slide(p, time, event, end)
            state = p.states + place * p.state_bytes
            if p.oldest == FOREVER:
                clear(p.plan, state)
            else:
                copy_state(p, state, p.kernel.query(p.tree))
        _lower(p, first, taken)
        first += taken


@inner
def _slide(p, time, event, end):
    """Let the window be the one that ends with `time`; returns the first event that has not come in."""
    behind = time - p.size
    if p.oldest <= behind:
        p.kernel.bulk_evict(p.tree, behind)
        p.oldest = FOREVER if p.kernel.is_empty(p.tree) else p.kernel.oldest(p.tree)
    while event < end and p.enters[event] <= time:
        if p.starts[event] <= behind:
            event += 1
        else:
            event = _insert_ascending(p, time, event, end)
    return event


@inner
def _insert_ascending(p, time, event, end):
    """Insert events as long as they ascend; returns the first that doesn't, or has not come in."""
    not_inlined()
    last, burst = event + 1, p.burst
    while last < end and p.enters[last] <= time and p.starts[last - 1] <= p.starts[last]:
        last += 1
    columns = p.events
    burst.values, burst.valid = columns.values[event:], columns.valid[event:]
    burst.times = columns.times[event:]
    p.kernel.insert_burst(p.tree, p.starts[event:], burst, last - event)
    p.oldest = min(p.oldest, p.starts[event])
    return last


@inner
def _lower(p, first, taken):
    out = p.outputs
    for output in range(out.outputs):
        at = output * out.probes + first
        wrong = lower_each(p.plan, out.slots[output], p.states, taken, out.words[at:], out.nulls[at:])
        if wrong >= 0 and out.failed == NO_FAILURE:
            out.failed, out.failed_probe = output, first + wrong


probe_calls = lazy_table(ProbeCalls, "probes", probe, end_probe)
