"""The structures in which panes are kept: one of each kernel that a run's keys were given, used key after key."""

from kernels.disorder import count_in_order
from kernels.memory import inner, load, store
from kernels.plan import COMMUTATIVE
from kernels.replay.context import (
    ASCENDING,
    DOOR,
    ENDS,
    GOES_BEHIND,
    GOES_ON,
    KERNEL_OF_KEY,
    KERNELS,
    PLAN,
    RANKS,
    RECORDS,
    STARTS,
    TREE,
)
from kernels.replay.panes import create, destroy, expect, reset

ITS_DOOR, OPTION, EXPECTS, ITS_TREE, ITS_GOES_ON, RECORD_WORDS = range(6)
"""Words of a kernel's record: its door, CREATE's option, 1 if it EXPECTs, its structures."""


@inner
def _open_record(r, number):
    """Address of a kernel's record, its door being the one that is asked from now on."""
    record = load(r, RECORDS) + 8 * RECORD_WORDS * number
    store(r, DOOR, load(record, ITS_DOOR))
    return record


@inner
def create_structures(r):
    """Of every kernel of the run: two where events last."""
    for number in range(load(r, KERNELS)):
        record = _open_record(r, number)
        store(record, ITS_TREE, create(r, load(record, OPTION)))
        if load(r, ENDS) != 0:
            store(record, ITS_GOES_ON, create(r, load(record, OPTION)))


@inner
def destroy_structures(r):
    for number in range(load(r, KERNELS)):
        record = _open_record(r, number)
        destroy(r, load(record, ITS_TREE))
        if load(r, ENDS) != 0:
            destroy(r, load(record, ITS_GOES_ON))


@inner
def take_kernel(r, key, first, end):
    """Have the panes of a key, the events [first, end), kept by its kernel, which is empty."""
    record = _open_record(r, load(load(r, KERNEL_OF_KEY), key))
    store(r, TREE, load(record, ITS_TREE))
    store(r, GOES_ON, load(record, ITS_GOES_ON))
    commutes = load(load(r, PLAN), COMMUTATIVE) == 1
    goes_behind = commutes or count_in_order(load(r, STARTS) + 8 * first, end - first) == end - first
    store(r, GOES_BEHIND, 1 if goes_behind else 0)
    if load(record, EXPECTS) == 1:
        expect(r, load(r, TREE), load(r, ASCENDING) + 8 * first, end - first, load(r, RANKS))


@inner
def empty_structures(r):
    """Those of the key at hand."""
    reset(r, load(r, TREE))
    if load(r, ENDS) != 0:
        reset(r, load(r, GOES_ON))
