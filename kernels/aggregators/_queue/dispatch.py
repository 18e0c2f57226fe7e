"""The tables of operations of the queue kernels."""

from kernels.aggregators._dispatch import FOREVER, Entry, PointKernel, entry_bytes
from kernels.aggregators._queue import layout
from kernels.aggregators._queue.layout import Queue, cleared
from kernels.aggregators._queue.search import search
from kernels.runtime.addresses import named_inner
from kernels.runtime.memory import inner
from kernels.runtime.tables import compiled_table
from kernels.states.layout import StatePlan


def queue_kernel(kernel: str, query, append_range, changes: dict) -> PointKernel:
    """The table of a kernel of that name: its own operations (_dispatch.py), and those that all queues share.

    append_range(queue, low, high, into) → whether the aggregate of [low, high) is kept
    changes: insert, insert_burst, evict and bulk_evict
    """

    def range_query(queue: Queue, low, high):
        result = cleared(queue, queue.result)
        return result if append_range(queue, low, high, result) else 0

    reads = {"query": query, "append_range": append_range, "range_query": named_inner(kernel, range_query)}
    return compiled_table(PointKernel, kernel, SHARED | changes | reads)


@inner
def _create(plan: StatePlan, keeps_values, unused):
    return layout.create(plan, keeps_values != 0).address


@inner
def _destroy(queue: Queue):
    layout.destroy(queue)


@inner
def _reset(queue: Queue):
    layout.reset(queue)


@inner
def _is_empty(queue: Queue):
    return layout.is_empty(queue)


@inner
def _oldest(queue: Queue):
    return FOREVER if layout.is_empty(queue) else layout.oldest(queue)


@inner
def _youngest(queue: Queue):
    return -FOREVER if layout.is_empty(queue) else layout.youngest(queue)


@inner
def _first_from(queue: Queue, time):
    ordinal = search(queue, time, False)
    return FOREVER if ordinal == queue.end else layout.time_at(queue, ordinal)


@inner
def _count(queue: Queue):
    return queue.end - queue.first


@inner
def _count_between(queue: Queue, low, high):
    return max(0, search(queue, high, False) - search(queue, low, False))


@inner
def _copy_entries(queue: Queue, low, high, target):
    """An Entry of each of the entries with times in [low, high): from the kept values, or else from the states, which
    a kernel that overwrites them with aggregates must not be asked for."""
    states = queue.values if queue.values != 0 else queue.states
    for ordinal in range(search(queue, low, False), search(queue, high, False)):
        entry = Entry(target)
        entry.time = layout.time_at(queue, ordinal)
        layout.copy_state(queue, entry.state.address, states + layout.place(queue, ordinal) * queue.state_bytes)
        target += entry_bytes(queue.state_bytes)


SHARED = {
    "create": _create,
    "destroy": _destroy,
    "reset": _reset,
    "oldest": _oldest,
    "youngest": _youngest,
    "first_from": _first_from,
    "is_empty": _is_empty,
    "count": _count,
    "count_between": _count_between,
    "copy_entries": _copy_entries,
}
