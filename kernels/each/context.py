"""The state of one call as a block of words: every compiled function takes its address and nothing else."""

from kernels.memory import inner, load, store
from kernels.plan import COMMUTATIVE, STATE_WORDS
from kernels.states import clear, lift_each, lower_each, merge_each

BATCH = 256

# What to do: the plan, bytes of a state, addresses of times and source block, length of the window, events in all.
PLAN, STATE_BYTES, TIMES, SOURCE, SIZE_US, EVENTS = range(6)
# Where answers go: slots of the outputs, how many, addresses of their words and null bytes; the kernel of each key.
OUTPUTS, OUTPUT_COUNT, WORDS, NULLS, KERNELS = range(6, 11)
# First failure: 1 + output, and the event.
FAILED, FAILED_EVENT = 11, 12
# The batch at hand: states lifted, their running folds, the addresses of what is older, times; and the identity.
LIFTED, FOLDED, OLDERS, BATCH_TIMES, IDENTITY = range(13, 18)
# What a kernel keeps.
TREE, DOOR, YOUNGEST, YOUNG, FRONT, FRONT_ROOM, RANKS, SORTED, LEVELS = range(18, 27)
# Pairs of words of the batch at hand, twice as many as it has events.
PAIRS = 27
# Rows of a key in order of time.
ORDER = 28
CONTEXT_WORDS = 29

NEVER, FOREVER = -(1 << 63), (1 << 63) - 1


@inner
def lifted(e, place):
    """Address of a state of the batch."""
    return load(e, LIFTED) + place * load(e, STATE_BYTES)


@inner
def folded(e, place):
    """Address of the aggregate of the batch up to a place, with what came before it."""
    return load(e, FOLDED) + place * load(e, STATE_BYTES)


@inner
def commutes(e):
    return load(load(e, PLAN), COMMUTATIVE) == 1


@inner
def state_words(e):
    return load(load(e, PLAN), STATE_WORDS)


@inner
def lift_batch(e, event, taken):
    """The states of some events from `event` on; that of one whose time in BATCH_TIMES is NEVER is the identity."""
    lift_each(load(e, PLAN), load(e, LIFTED), load(e, STATE_BYTES), load(e, SOURCE), event, event + taken)
    for place in range(taken):
        if load(load(e, BATCH_TIMES), place) == NEVER:
            clear(load(e, PLAN), lifted(e, place))


@inner
def answer_batch(e, first, events):
    """Answers of some events from `first` on: what is older ⊗ the running fold, lowered."""
    merge_each(load(e, PLAN), load(e, FOLDED), load(e, STATE_BYTES), load(e, OLDERS), events)
    for output in range(load(e, OUTPUT_COUNT)):
        at = output * load(e, EVENTS) + first
        wrong = lower_each(load(e, PLAN), load(load(e, OUTPUTS), output), load(e, FOLDED), events,
                           load(e, WORDS) + 8 * at, load(e, NULLS) + at)
        if wrong >= 0 and load(e, FAILED) == 0:
            store(e, FAILED, 1 + output)
            store(e, FAILED_EVENT, first + wrong)
