"""What the objects of all span kernels share: windows by their bounds, values by name, errors. A kernel's class says
what it is made of, how its options go into `create`, which aggregates it takes and how its invariants are checked."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from windrow.kernels.aggregators._dispatch import PointKernel
from windrow.kernels.bounds.grid import Grid, grid
from windrow.kernels.columns import LIMIT_US
from windrow.kernels.monoids import AggregateSpec, find_monoid
from windrow.kernels.objects.kernel_object import KernelObject, lower_all
from windrow.kernels.objects.saved import opened, sealed
from windrow.kernels.runtime.arrays import words_of
from windrow.kernels.runtime.guarded import guarded_entry
from windrow.kernels.runtime.memory import WORD_BYTES, address_of
from windrow.kernels.runtime.one_at_a_time import in_turn
from windrow.kernels.spans._dispatch import KeySpans, SpanKernel
from windrow.kernels.spans._pages import HEAD_BYTES, PAGE_BITS, PAGE_RECORDS, Pages, RecordPage
from windrow.kernels.states import gather
from windrow.schemas.errors import BadInput, NotServed, WrongParameter
from windrow.schemas.query import Aggregate
from windrow.schemas.windows import Window
from windrow.schemas.windows.regular import WHOLE


@guarded_entry
def insert_event(kernel: SpanKernel, s: KeySpans, low, high, event, state):
    """event: address of an Events of one row; state: room for its own."""
    gather(s.plan, state, event, 0, 1)
    kernel.insert_span(s, low, high, state)


@guarded_entry
def answer_window(kernel: SpanKernel, s: KeySpans, low, high, answers):
    """A SlotResult per slot of the window [low, high)."""
    lower_all(s.plan, kernel.state(s, 0, low, high), answers)


NOTHING_EVICTED = -LIMIT_US - 1
LOOKING = 1
"""The cursor of a search for windows; 0 is the cursor of queries."""
MOST_PIECES = 1 << 20
"""Records of a kernel that an event may be put into, by one call that nothing interrupts: some tenths of a second."""


class SpanWindow(KernelObject):
    """Windows over events that last, all of a key that are open. Times in µs, within ±2**61.

    Raises WrongParameter for an interval that isn't one or is longer than the window's `longest`, BadInput for bounds
    of no window or of one that was evicted, for a NaN and for values that don't fit their columns, AggregateFailed for
    an aggregate without a right answer.
    """

    PANE_OPTIONS: tuple[str, ...] = ()
    """Options that a query may give where a replay keeps events in it."""
    IN_ORDER_ONLY = False
    TABLE = SpanKernel
    WINDOW = (
        "one whose events last, as windrow.spanning makes, and one of whole events; other attributions are a "
        "replay's (replay_table)"
    )

    def __init__(
        self,
        window: Window,
        aggregates: Mapping[str, Aggregate],
        column_types: Mapping[str, str] | None = None,
        **options: int,
    ):
        super().__init__(aggregates, column_types, counts_events=True)
        self._grid = grid(window.size_us, window.slide_us, window.origin_us)
        self._longest_us, self._evicted = window.longest_event_us, NOTHING_EVICTED
        self._describe(self._plan.specs, sorted(options.items()), window)
        self._state = np.zeros(self._plan.state_words, np.int64)
        self._create(self._grid.address, self.pane_option(options))

    @classmethod
    def takes(cls, window: object) -> bool:
        lasts = isinstance(window, Window) and window.longest_event_us is not None
        return lasts and getattr(window, "attribution", WHOLE) == WHOLE

    @classmethod
    def refuse(cls, specs: Sequence[AggregateSpec]) -> None:
        """Raise NotServed for an aggregate that depends on the order of events: a slice mixes events of many starts."""
        for spec in specs:
            if not find_monoid(spec)[1].commutative:
                raise NotServed("aggregate of spanning windows", spec.function, ("those that commute",))

    @classmethod
    def pane_option(cls, options: Mapping[str, int]) -> int:
        """The option of `create`; options: PANE_OPTIONS by name. Raises WrongParameter."""
        return 0

    @classmethod
    def ends(cls, window: Grid, option: int) -> PointKernel | None:
        """What ends in each slice, as entries that a replay's walks take; None where whole windows are asked for."""
        return None

    @in_turn
    def insert_span(self, start: int, end: int, value=None) -> None:
        """An event of [start, end), a point if end = start; value as an aggregator's (kernels/aggregators). What lies
        before the windows that may still be asked is left out."""
        start, end = self._columns.time_within(start), self._columns.time_within(end)
        low, high = self._interval(start, start + 1 if end == start else end)
        if high - low > self._longest_us:
            raise WrongParameter("interval", (start, end), f"at most {self._longest_us} µs long, as the window says")
        pieces = self._pieces(low, high)
        if pieces > MOST_PIECES:
            allowed = f"one that goes into {MOST_PIECES:,} slices or windows, not {pieces:,}; let windows slide further"
            raise WrongParameter("interval", (low, high), allowed)
        source = self._columns.source([value], np.array([low]), np.zeros(1, np.int64))
        if high > self._evicted + 1:
            window = (max(low, self._evicted + 1), high)
            insert_event(self.dispatch().address, self._address, *window, source.address, address_of(self._state))

    @in_turn
    def state(self, low: int, high: int) -> dict[str, int | float | bool | None]:
        """The aggregates of all events that meet the window [low, high), by name; None for a null."""
        self._require_window(*self._interval(low, high))
        answer_window(self.dispatch().address, self._address, low, high, self._answers)
        return self._lowered()

    @in_turn
    def evict(self, time: int) -> None:
        """Forget what only windows need that begin by `time`; these are no longer asked."""
        self._evicted = max(self._evicted, self._columns.time_within(time))
        self._ask("evict", self._evicted)

    @in_turn
    def first_from(self, time: int) -> int | None:
        """Start of the first window that begins at `time` or later and has events, None if there is none; after an
        eviction, of those that may still be asked."""
        number = self._grid_says("last_start_until", max(self._columns.time_within(time), self._evicted + 1) - 1) + 1
        while True:
            low = self._grid_says("start", number)
            if words_of(self._ask("state", LOOKING, low, self._grid_says("end", number)), 1)[0] > 0:
                return low
            found = self._ask("first_from", low)
            if found > LIMIT_US:
                return None
            number = max(number + 1, self._grid_says("first_end_after", found))

    @in_turn
    def save(self) -> np.ndarray:
        """All that it holds, int64[words], for `load`. O(words)."""
        return sealed(self._described, np.append(self._saved(), self._evicted))

    @in_turn
    def load(self, words: np.ndarray) -> None:
        """Become what `save` gave, of the same kernel, window, aggregates and options. O(words), of sweeping kernels
        O(words · log events). Raises BadInput for other words."""
        words = opened(words, self._described, self._other_words(", or load another copy"))
        if not self._load(words[:-1]):
            raise BadInput(self._other_words("; it is empty now"))
        self._evicted = min(max(int(words[-1]), NOTHING_EVICTED), LIMIT_US)

    def _pieces(self, low: int, high: int) -> int:
        """How many records of the kernel an event of [low, high) goes into."""
        return self._grid_says("last_start_until", high - 1) - self._grid_says("first_end_after", low) + 1

    def _grid_says(self, operation: str, argument: int) -> int:
        return getattr(self._grid, operation)(self._grid, argument)

    def _interval(self, low: int, high: int) -> tuple[int, int]:
        low, high = self._columns.time_within(low), self._columns.time_within(high)
        if low >= high:
            raise WrongParameter("interval", (low, high), "low < high")
        return low, high

    def _require_window(self, low: int, high: int) -> None:
        number = self._grid_says("last_start_until", low)
        window = tuple(self._grid_says(of, number) for of in ("start", "end"))
        if window != (low, high):
            raise BadInput(f"[{low}, {high}) is no window; the one that begins last before its end is {list(window)}")
        if low <= self._evicted:
            raise BadInput(
                f"[{low}, {high}) begins by {self._evicted}, up to which was evicted; ask for a later window"
            )


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
