"""What holds of span kernels between two events, by plain Python over their memory as it stands.

Each check raises AssertionError with a sentence for the first invariant that doesn't hold.
"""

from collections.abc import Iterator

import numpy as np

from kernels.aggregators._arrays import words_of
from kernels.aggregators._dispatch import PointKernel
from kernels.runtime.calls import ask
from kernels.runtime.memory import WORD_BYTES
from kernels.spans._buckets import Buckets
from kernels.spans._pages import HEAD_BYTES, PAGE_BITS, PAGE_RECORDS, Pages, RecordPage
from kernels.spans._slices import Slices
from kernels.states.state_plan import Plan


def held_records(pages: Pages) -> Iterator[tuple[int, np.ndarray]]:
    """Number and words of each record that holds something, in order; AssertionError where pages are wrong."""
    assert 0 <= pages.first <= pages.end <= pages.room, "order: its pages stand within its room"
    words, before = pages.record_bytes // WORD_BYTES, None
    for place in range(pages.first, pages.end):
        page = RecordPage(pages.order[place])
        assert before is None or before < page.number, "order: pages ascend by number"
        assert page.marks != 0, f"marks: page {page.number} holds something"
        before, records = page.number, words_of(page.address + HEAD_BYTES, PAGE_RECORDS, words)
        for record in range(PAGE_RECORDS):
            if page.marks >> record & 1:
                yield (page.number << PAGE_BITS) + record, records[record]


def check_slices(address: int, plan: Plan) -> None:
    """O(slices · height)."""
    slices = Slices(address)
    shape = (slices.height, 2, plan.state_words)
    going, reaching = {}, {}
    for number, record in held_records(slices.pages):
        events = record.reshape(shape)[:, :, 0]
        assert (events >= 0).all() and events.any(), f"marks: slice {number} has events"
        going[number] = int(events[:, 1].sum())
        for below in range(slices.height):
            reaching[number - below] = reaching.get(number - below, 0) + int(events[below].sum())
    for number, events in going.items():
        found = reaching.get(number + 1, 0)
        assert events <= found, (
            f"going on: {events} events go on from slice {number}, and {found} pieces begin behind it"
        )


def check_aggregate_buckets(address: int, plan: Plan) -> None:
    """O(windows)."""
    for number, state in held_records(Buckets(address).pages):
        assert state[0] > 0, f"marks: window {number} has events"


def check_tuple_buckets(address: int, plan: Plan) -> None:
    """O(events of all windows)."""
    for number, (count, room, first) in held_records(Buckets(address).pages):
        assert 0 < count <= room, f"room: window {number} has some of its {count} events beyond its room, or none"
        states = words_of(int(first), int(count), plan.state_words)
        assert (states[:, 0] > 0).all(), f"states: each of window {number} counts its event"


def events_between(tree: PointKernel, entries: int, low: int, high: int) -> int:
    """How many the entries of a tree in [low, high) cover."""
    if ask(tree.is_empty, entries):
        return 0
    return int(words_of(ask(tree.range_query, entries, low, high), 1)[0])
