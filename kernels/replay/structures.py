"""The structures in which panes are kept: one of each kernel that a run's keys were given, used key after key."""

from kernels.ranks.disorder import count_in_order
from kernels.runtime.calls import call
from kernels.runtime.memory import inner


@inner
def create_structures(r):
    """Of every kernel of the run."""
    for number in range(r.kernels.count):
        used = r.kernels.in_use[number]
        if r.events.last:
            used.panes = call(used.spans.create, r.plan, r.window, used.option)
        else:
            used.panes = call(used.kernel.create, r.plan, used.option, 0)


@inner
def destroy_structures(r):
    """Those that were created: the memory may have ended before."""
    for number in range(r.kernels.count):
        used = r.kernels.in_use[number]
        if used.panes != 0:
            call(used.spans.destroy if r.events.last else used.kernel.destroy, used.panes)


@inner
def take_kernel(r, first, end):
    """Have the panes of the key at hand, the events [first, end), kept by its kernel, which is empty."""
    used = r.kernels.in_use[r.kernels.of_key[r.key]]
    r.logic = used.logic
    r.kernel, r.spans, r.panes = used.kernel, used.spans, used.panes
    starts = r.events.starts[first:]
    r.goes_behind = r.plan.is_commutative or count_in_order(starts, end - first) == end - first


@inner
def empty_structures(r):
    """That of the key at hand."""
    call(r.spans.reset if r.events.last else r.kernel.reset, r.panes)
