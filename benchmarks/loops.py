"""The compiled loops in which benchmarks run kernels (window_loops.py).

A loop is written once and compiled per kernel, with the kernel's functions as its globals: so it calls them directly,
as the replay does. It isn't a closure over them, since Numba's disk cache never finds closures over compiled functions
again.
"""

import importlib
from types import FunctionType

from benchmarks.cycle_clock import cycles
from kernels.memory import entry, load, store

TREE = "kernels.aggregators.finger_tree."
IN_MODULES = {
    "finger_tree": {"create": TREE + "nodes", "destroy": TREE + "layout", "query": TREE + "query",
                    "bulk_evict": TREE + "evict", "insert_burst": TREE + "insert"},
    "finger_tree_single": {"create": TREE + "nodes", "destroy": TREE + "layout", "query": TREE + "query"},
    "monoid_tree": "kernels.aggregators.monoid_tree.tree",
    "amortized_monoid_tree": "kernels.aggregators.amortized_monoid_tree.forest",
}  # fmt: skip
FUNCTIONS = ("create", "destroy", "bulk_evict", "insert_burst", "query")
_compiled = {}
# Found by name as the globals of the loops below, once a kernel's own are in their place.
create = destroy = bulk_evict = insert_burst = query = None


def open_window(plan):
    return create(plan)


def open_tree(plan, min_arity, frees_at_once):
    return create(plan, min_arity, frees_at_once)


def close(window):
    destroy(window)


def fill(window, times, source, rows, burst):
    """Insert rows, a burst at a time."""
    for first in range(0, rows, burst):
        insert_burst(window, times + 8 * first, source, min(burst, rows - first))


def slide(window, times, source, bursts, burst, behind):
    """Evict a burst, insert a burst, query; again and again. behind: from the last eviction to the first insertion."""
    for turn in range(bursts):
        first = times + 8 * turn * burst
        bulk_evict(window, load(first, burst - 1) - behind)
        insert_burst(window, first, source, burst)
        query(window)


def time_slide(window, times, source, bursts, burst, behind_and_clock):
    """As slide; how many cycles each eviction and insertion took goes to the clock, two words a turn."""
    behind, clock = load(behind_and_clock, 0), load(behind_and_clock, 1)
    for turn in range(bursts):
        first = times + 8 * turn * burst
        until = load(first, burst - 1) - behind
        began = cycles()
        bulk_evict(window, until)
        evicted = cycles()
        insert_burst(window, first, source, burst)
        inserted = cycles()
        query(window)
        store(clock, 2 * turn, evicted - began)
        store(clock, 2 * turn + 1, inserted - evicted)


def evict_until(window, time):
    """Evict, then query; the cycles of both."""
    began = cycles()
    bulk_evict(window, time)
    query(window)
    return cycles() - began


def _parts(kernel: str) -> dict:
    where = IN_MODULES.get(kernel, {})
    own = f"kernels.aggregators.{kernel}"
    modules = where if isinstance(where, dict) else dict.fromkeys(FUNCTIONS, where)
    return {name: getattr(importlib.import_module(modules.get(name, own)), name) for name in FUNCTIONS}


def compiled(loop: FunctionType, kernel: str):
    """A loop over a kernel's functions, compiled; its qualified name is what the disk cache tells kernels apart by."""
    key = (loop.__name__, kernel)
    if key not in _compiled:
        made = FunctionType(loop.__code__, {**loop.__globals__, **_parts(kernel)}, loop.__name__)
        made.__qualname__ = f"{loop.__name__}_{kernel}"
        _compiled[key] = entry(made)
    return _compiled[key]
