"""The state of one call, what every compiled function of this folder takes, and what a kernel of answers is.

One file of this folder is one such kernel and defines `answer`; entry.py lists them and picks one for each key.

PerEvent ── times, events ─────→ the columns of all keys
         ├─ batch                the events that are being answered together
         ├─ answers ───────────→ AnswerColumns: where their outputs go
         ├─ ranks, ascending, rows: the events in order of time (kernels/ranks.py), of keys whose kernel needs that
         └─ front, tree: what one kernel keeps of the window, or another
"""

from windrow.kernels.aggregators._dispatch import PointKernel
from windrow.kernels.aggregators.finger_tree.layout import Tree
from windrow.kernels.runtime.fields import (
    Address,
    Array,
    Byte,
    Bytes,
    Count,
    Inline,
    Microseconds,
    Place,
    Pointer,
    Ref,
    Word,
)
from windrow.kernels.runtime.memory import WORD_BYTES, inner, release, resize
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.sorting import Pair
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.states import clear, copy_state, lift_each, lower_each, merge_each, prefixes
from windrow.kernels.states.layout import Events, StatePlan

BATCH = 256
NO_TIME = -(1 << 63)
NO_FAILURE = -1


class Answering(Struct):
    """answer(context, first, end): write the answers of one key, the events [first, end); context: the PerEvent."""

    answer: Operation("PerEvent", Place, Place)


class Batch(Struct):
    """Events that are answered together; y is the aggregate of what came after `olders`, before the batch.

    times       7     NO_TIME   9          NO_TIME: too old for the window
    lifted      a     ·       c          a state each, the identity of what is too old
    folded      ya    ya      yac        running fold
    olders      →s3   →s4     →s4        states of what is older: the answers are s3·ya, s4·ya, s4·yac

    places: rows, for calls that take a list of them; late: time and state of those that are a little late,
    with as much room again, since they are sorted by merging
    """

    times: Array(Microseconds, BATCH)
    olders: Array(Address, BATCH)
    lifted: Address
    folded: Address
    places: Array(Place, BATCH)
    late: Array(Inline(Pair), 2 * BATCH)


class AnswerColumns(Struct):
    """Output o of event e is words[o · events + e], and null if nulls[o · events + e] is 1; failed: the first output
    without a right answer, of failed_event, or NO_FAILURE."""

    events: Count
    outputs: Count
    slots: Pointer(Place)
    words: Pointer(Word)
    nulls: Pointer(Byte("1: null"))
    failed: Place
    failed_event: Place


class TwoStacks(Struct):
    """A window over entries that are in order of time: a front of suffix aggregates, a back of one aggregate.

    entries   3   4 | 5   6 | 7 …        the window is [low, next); the front has suffixes of [begin, middle), of which
              ↑low    ↑middle ↑next      those before `low` are used up; `end` is behind the last entry

    rows: of the entries in the columns, counted from first_row; null where entry i is row i.
    """

    times: Pointer(Microseconds)
    rows: Pointer(Place)
    first_row: Place
    begin: Place
    low: Place
    middle: Place
    next: Place
    end: Place


class PerEvent(Struct):
    """youngest: time of the key at hand, NO_TIME before its first event; young: the aggregate of all that is younger
    than the front; front: suffix aggregates, one after the other, with room for so many."""

    plan: Ref(StatePlan)
    state_bytes: Bytes
    size: Microseconds
    times: Pointer(Microseconds)
    events: Ref(Events)
    kernel_of_key: Pointer(Ref(Answering))
    answers: Ref(AnswerColumns)
    ranks: Pointer(Place)
    ascending: Pointer(Microseconds)
    rows: Pointer(Place)
    batch: Inline(Batch)
    youngest: Microseconds
    young: Address
    identity: Address
    front: Address
    front_room: Count
    stacks: Inline(TwoStacks)
    tree: Ref(Tree)
    tree_kernel: Ref(PointKernel)


@inner
def allocate_states(context):
    words, batch = context.plan.state_words, context.batch
    batch.lifted, batch.folded = resize(0, BATCH * words), resize(0, BATCH * words)
    context.young, context.identity = resize(0, words), resize(0, words)
    clear(context.plan, context.identity)


@inner
def release_states(context):
    """What a kernel keeps for all its keys too."""
    batch = context.batch
    for state in (batch.lifted, batch.folded, context.young, context.identity, context.front):
        release(state)
    if context.tree.address != 0:
        context.tree_kernel.destroy(context.tree)


@inner
def make_room_in_front(context, states):
    if states > context.front_room:
        context.front_room = 2 * states
        context.front = resize(context.front, 2 * states * (context.state_bytes // WORD_BYTES))


@inner
def lifted(context, place):
    return context.batch.lifted + place * context.state_bytes


@inner
def folded(context, place):
    return context.batch.folded + place * context.state_bytes


@inner
def lift_batch(context, event, taken):
    """The states of some events from `event` on; that of one whose time in the batch is NO_TIME is the identity."""
    lift_each(context.plan, context.batch.lifted, context.state_bytes, context.events, event, event + taken)
    times = context.batch.times
    for place in range(taken):
        if times[place] == NO_TIME:
            clear(context.plan, lifted(context, place))


@inner
def fold_batch(context, states, taken, before):
    """The running fold of some states behind the one at `before`; all of it is left at `young`."""
    prefixes(context.plan, context.batch.folded, context.state_bytes, states, taken, before)
    copy_state(context, context.young, folded(context, taken - 1))


@inner
def answer_taken(context, event, taken, before):
    """Answers of some events from `event` on, behind what is at `before`; that with them is left at `young`."""
    lift_batch(context, event, taken)
    fold_batch(context, context.batch.lifted, taken, before)
    answer_batch(context, event, taken)


@inner
def answer_batch(context, first, taken):
    merge_each(context.plan, context.batch.folded, context.state_bytes, context.batch.olders, taken)
    lower_batch(context, first, taken)


@inner
def lower_batch(context, first, taken):
    """The states at `folded` are the answers of some events from `first` on."""
    folded, answers = context.batch.folded, context.answers
    for output in range(answers.outputs):
        at = output * answers.events + first
        words, nulls = answers.words[at:], answers.nulls[at:]
        wrong = lower_each(context.plan, answers.slots[output], folded, taken, words, nulls)
        if wrong >= 0 and answers.failed == NO_FAILURE:
            answers.failed = output
            answers.failed_event = first + wrong
