"""The structures in which panes are kept: one of each kernel that a run's keys were given, used key after key."""

from kernels.ranks.disorder import count_in_order
from kernels.runtime.calls import call
from kernels.runtime.memory import inner


@inner
def create_structures(r):
    """Of every kernel of the run: two where events last."""
    for number in range(r.kernels.count):
        used = r.kernels.in_use[number]
        used.panes = call(used.kernel.create, r.plan, used.option, 0)
        if r.events.last:
            used.goes_on = call(used.kernel.create, r.plan, used.option, 0)


@inner
def destroy_structures(r):
    """Those that were created: the memory may have ended before."""
    for number in range(r.kernels.count):
        used = r.kernels.in_use[number]
        if used.panes != 0:
            call(used.kernel.destroy, used.panes)
        if used.goes_on != 0:
            call(used.kernel.destroy, used.goes_on)


@inner
def take_kernel(r, first, end):
    """Have the panes of the key at hand, the events [first, end), kept by its kernel, which is empty."""
    used = r.kernels.in_use[r.kernels.of_key[r.key]]
    r.logic = used.logic
    r.kernel, r.panes, r.goes_on = used.kernel, used.panes, used.goes_on
    starts = r.events.starts[first:]
    r.goes_behind = r.plan.is_commutative or count_in_order(starts, end - first) == end - first


@inner
def empty_structures(r):
    """Those of the key at hand."""
    call(r.kernel.reset, r.panes)
    if r.events.last:
        call(r.kernel.reset, r.goes_on)
