"""The compiled pass over the probes of a key: both bounds of a window only rise, so that a finger tree that slides
along answers each probe by a query of O(1) (FIBA §3).

    time ──a───c──────P1──P2──b───d──P3──▶   b is known after P2, though it happened before c
    P1   insert a, c                         query: a ⊗ c                              answer 0
    P2   nothing came, nothing went          no query                                  answer 0
    P3   evict a; insert b, d                query: b ⊗ c ⊗ d, in order of event time  answer 1

An event comes in at the first probe at or after its `enters`; one that the window has left behind by then never does.
"""

from windrow.kernels.aggregators._dispatch import FOREVER, PointKernel
from windrow.kernels.aggregators.finger_tree import USUAL_ARITY
from windrow.kernels.replay.stop import Stop, must_stop, must_stop_at
from windrow.kernels.runtime.fields import Address, Bytes, Count, Inline, Microseconds, Place, Pointer, Ref, Word
from windrow.kernels.runtime.memory import inner, not_inlined, release, resize
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import BYTE, Struct
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import clear, copy_state, lower_each
from windrow.kernels.states.layout import Events, StatePlan

BATCH = 256
"""ProbeAnswers whose states are lowered together."""
NO_FAILURE = -1


class ProbeAnswers(Struct):
    """Output o of answer a is words[o · room + a], null where nulls[o · room + a] is 1. failed: the first output
    without a right answer, of failed_answer, or NO_FAILURE.

    count: of all answers; states: of those that wait to be lowered, the last ones
    """

    room: Count
    outputs: Count
    slots: Pointer(Place)
    words: Pointer(Word)
    nulls: Pointer(BYTE)
    failed: Place
    failed_answer: Place
    count: Count
    waiting: Count
    states: Address


class Probing(Struct):
    """Probes of a key ascend, and its events ascend by `enters`; starts: of the events, by which windows hold them.

    answer_of: of each probe the place of its answer
    tree: what the window of the key at hand holds; oldest: its oldest time, FOREVER where it is empty
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
    answer_of: Pointer(Place)
    answers: Ref(ProbeAnswers)
    kernel: Ref(PointKernel)
    tree: Address
    oldest: Microseconds
    burst: Inline(Events)
    stop: Inline(Stop)


class ProbeCalls(Struct):
    """probe(p, keys): write the outputs of all probes of some keys, until the call is asked to stop; end_probe(p)."""

    probe: Operation(Probing, Count)
    end_probe: Operation(Probing)


def probe(p: Probing, keys):
    out = p.answers
    p.tree = p.kernel.create(p.plan, USUAL_ARITY, 0)
    out.states = resize(0, BATCH * p.plan.state_words)
    p.burst.rows = p.events.rows
    key = 0
    while key < keys and not must_stop(p.stop):
        _probe_key(p, key)
        p.kernel.reset(p.tree)
        key += 1
    _lower_waiting(p)


def end_probe(p: Probing):
    if p.tree != 0:
        p.kernel.destroy(p.tree)
    release(p.answers.states)


@inner
def _probe_key(p, key):
    not_inlined()
    event, end = p.first_event[key], p.first_event[key + 1]
    next_enters = p.enters[event] if event < end else FOREVER
    p.oldest = FOREVER
    is_first = True
    for probe in range(p.first_probe[key], p.first_probe[key + 1]):
        time = p.probes[probe]
        if is_first or next_enters <= time or p.oldest <= time - p.size:
            event = _slide(p, time, event, end)
            next_enters = p.enters[event] if event < end else FOREVER
            _answer(p)
            is_first = False
        if must_stop_at(p.stop, probe):
            break
        p.answer_of[probe] = p.answers.count - 1


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
def _answer(p):
    """Take the window's state as one more answer."""
    out = p.answers
    if out.waiting == BATCH:
        _lower_waiting(p)
    state = out.states + out.waiting * p.state_bytes
    if p.oldest == FOREVER:
        clear(p.plan, state)
    else:
        copy_state(p, state, p.kernel.query(p.tree))
    out.waiting += 1
    out.count += 1


@inner
def _lower_waiting(p):
    not_inlined()
    out = p.answers
    first = out.count - out.waiting
    for output in range(out.outputs):
        at = output * out.room + first
        wrong = lower_each(p.plan, out.slots[output], out.states, out.waiting, out.words[at:], out.nulls[at:])
        if wrong >= 0 and out.failed == NO_FAILURE:
            out.failed, out.failed_answer = output, first + wrong
    out.waiting = 0


probe_calls = lazy_table(ProbeCalls, "probes", probe, end_probe)
