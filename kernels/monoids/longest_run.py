"""longest_run: how many values the longest strictly increasing run has, among neighbours in order of (time, insertion).
Null values are left out of that order. Null over no values.

Runs as in MTA §5.6; of those that are equally long the first counts.

State (first value, last value, length of the run at its beginning, of that at its end, of the longest), the first
length negative where the run ends before the state does; of no values all lengths are 0. With marks, three words more:
one for each of these three runs, the time of its first or its last event.
"""

from functools import partial

from numba.extending import register_jitable

from windrow.kernels.monoid import FLOAT, Monoid, unchecked
from windrow.kernels.monoids._order_code import coded

TYPES = ("int64", "timestamp", "date")


def identity():
    return (0, 0, 0, 0, 0)


def lift(word):
    return (word, word, 1, 1, 1)


@register_jitable
def _head(older, newer, joins):
    """Length of the run at the beginning of both."""
    if older[2] < 0:
        return older[2]
    if not joins:
        return -older[2]
    return older[2] + newer[2] if newer[2] > 0 else newer[2] - older[2]


@register_jitable
def joined(older, newer):
    """The five words of two states of which neither is empty."""
    joins = older[1] < newer[0]
    bridge = older[3] + abs(newer[2]) if joins else 0
    tail = newer[3] + older[3] if joins and newer[2] > 0 else newer[3]
    return (older[0], newer[1], _head(older, newer, joins), tail, max(older[4], newer[4], bridge))


def combine(older, newer):
    if older[4] == 0:
        return newer
    return older if newer[4] == 0 else joined(older, newer)


def identity_marked():
    return (0, 0, 0, 0, 0, 0, 0, 0)


def lift_marked(time, word):
    return (word, word, 1, 1, 1, time, time, time)


@register_jitable
def joined_marked(older, newer, bridge_mark, head_mark, tail_mark):
    """With the marks of the run that goes from one state into the other, and of those that it makes longer."""
    first, last, head, tail, longest = joined(older, newer)
    joins = older[1] < newer[0]
    head_mark = head_mark if joins and older[2] > 0 else older[5]
    tail_mark = tail_mark if joins and newer[2] > 0 else newer[6]
    if longest == older[4]:
        return (first, last, head, tail, longest, head_mark, tail_mark, older[7])
    bridges = joins and longest == older[3] + abs(newer[2])
    return (first, last, head, tail, longest, head_mark, tail_mark, bridge_mark if bridges else newer[7])


def combine_starts(older, newer):
    if older[4] == 0:
        return newer
    return older if newer[4] == 0 else joined_marked(older, newer, older[6], older[5], older[6])


def combine_ends(older, newer):
    if older[4] == 0:
        return newer
    return older if newer[4] == 0 else joined_marked(older, newer, newer[5], newer[5], newer[6])


def lower(state):
    return (state[4], state[4] == 0, False)


def lower_mark(state):
    return (state[7], state[4] == 0, False)


def with_marks(combine) -> tuple[Monoid, ...]:
    """Those of an aggregate that gives the mark of the longest run."""
    marked = partial(unchecked, commutative=False, takes_time=True)
    return tuple(
        marked(types, 8, identity_marked, lift, combine, lower_mark, "timestamp")
        for types, lift in ((TYPES, lift_marked), (FLOAT, coded(lift_marked, is_second=True)))
    )


MONOIDS = (
    unchecked(TYPES, 5, identity, lift, combine, lower, "int64", commutative=False),
    unchecked(FLOAT, 5, identity, coded(lift), combine, lower, "int64", commutative=False),
)
