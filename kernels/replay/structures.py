"""The structures in which panes are kept: one of each kernel that a run's keys were given, used key after key."""

from kernels.frames._frames import KeyFrames
from kernels.ranks.disorder import count_in_order
from kernels.replay.by_context.cut_window import CutWindow
from kernels.replay.by_context.tuple_walk import TupleWindow
from kernels.runtime.calls import call
from kernels.runtime.memory import inner, release, resize


@inner
def create_structures(r):
    """Of every kernel of the run."""
    for number in range(r.kernels.count):
        used = r.kernels.in_use[number]
        if r.events.last:
            used.panes = call(used.spans.create, r.plan, r.window, used.option)
        elif used.frames.address != 0:
            used.panes = call(used.frames.create, r.plan, CutWindow(r.window.address).rules, used.option)
            KeyFrames(used.panes).events = r.events.columns
        else:
            used.panes = call(used.kernel.create, r.plan, used.option, 0)
            if used.source.address != 0:
                create_walk(r, used)


@inner
def create_walk(r, used):
    """What a policy looks at, if one does."""
    plan, walk = TupleWindow(r.window.address).looked_at, r.derived.walk
    if plan.address != 0:
        walk.policy_state = resize(0, plan.state_words)
        walk.policy_panes = call(used.kernel.create, plan, used.option, 0)


@inner
def destroy_structures(r):
    """Those that were created: the memory may have ended before."""
    for number in range(r.kernels.count):
        used = r.kernels.in_use[number]
        if r.derived.walk.policy_panes != 0:
            call(used.kernel.destroy, r.derived.walk.policy_panes)
            release(r.derived.walk.policy_state)
            r.derived.walk.policy_panes = 0
        if used.panes != 0:
            call(_destroying(r, used), used.panes)


@inner
def _destroying(r, used):
    if used.frames.address != 0:
        return used.frames.destroy
    return used.spans.destroy if r.events.last else used.kernel.destroy


@inner
def take_kernel(r, first, end):
    """Have the panes of the key at hand, the events [first, end), kept by its kernel, which is empty."""
    used = r.kernels.in_use[r.kernels.of_key[r.key]]
    r.logic = used.logic
    r.kernel, r.spans, r.frames, r.panes = used.kernel, used.spans, used.frames, used.panes
    r.derived.source = used.source
    starts = r.events.starts[first:]
    r.goes_behind = r.plan.is_commutative or count_in_order(starts, end - first) == end - first


@inner
def empty_structures(r):
    """That of the key at hand."""
    if r.frames.address != 0:
        call(r.frames.reset, r.panes)
    else:
        call(r.spans.reset if r.events.last else r.kernel.reset, r.panes)
