"""What the objects of all kernels of frames share: tuples by their values, frames by their times, errors. A kernel's
class says what it is made of and how its options go into `create`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from windrow.kernels.columns import LIMIT_US
from windrow.kernels.frames._frames import KeyFrames, frame_at, opening_at
from windrow.kernels.frames._kinds import make_rules, require_answers, require_comparable
from windrow.kernels.frames._ordered import CHUNK_ENTRIES, EntryChunk, Ordered, next_place
from windrow.kernels.frames._rows import KeptRows
from windrow.kernels.frames._rules import DONE, NONE, REACH, Frame, FrameKernel, is_long_enough, refusal
from windrow.kernels.objects.kernel_object import KernelObject, lower_all
from windrow.kernels.objects.saved import opened, sealed
from windrow.kernels.runtime.arrays import words_of
from windrow.kernels.runtime.guarded import guarded_entry
from windrow.kernels.runtime.memory import WORD_BYTES, address_of
from windrow.kernels.runtime.one_at_a_time import in_turn
from windrow.kernels.runtime.struct import Struct, words_at
from windrow.kernels.states import events_of
from windrow.kernels.states.state_plan import Plan
from windrow.schemas.errors import BadInput
from windrow.schemas.query import Aggregate
from windrow.schemas.windows import Window

LAYOUT = 2
"""Raise it when what is saved is laid out anew."""


@guarded_entry
def insert_tuples(kernel: FrameKernel, s, times, row, end):
    """Tuples of one burst, from row to end − 1; times: the address of their own. Returns the first that wasn't taken,
    times 4, plus the status."""
    given = row
    while row < end:
        status = kernel.insert(s, words_at(times)[row - given], row)
        if status != DONE:
            return 4 * (row - given) + status
        row += 1
    kernel.close_burst(s)
    return 4 * (end - given)


@guarded_entry
def answer_frame(kernel: FrameKernel, s: KeyFrames, frame: Frame, answers):
    """A SlotResult per slot of a frame. Returns 1, or 0 if it is too short to be one."""
    state = kernel.content(s, frame)
    lower_all(s.plan, state, answers)
    return 1 if is_long_enough(s.rules, frame, events_of(state)) else 0


@guarded_entry
def find_frame(s: KeyFrames, time, row):
    """The address of the frame whose first tuple that is; 0: there is none. O(log frames)."""
    chunk, at = opening_at(s, time, row)
    return 0 if chunk == s.frames.end else frame_at(s, chunk, at).address


@guarded_entry
def list_frames(s: KeyFrames, into):
    chunk, at = s.frames.first, 0
    for place in range(s.frames.count):
        words_at(into)[place] = frame_at(s, chunk, at).address
        chunk, at = next_place(s.frames, chunk, at)


@dataclass(frozen=True)
class FoundFrame:
    """A frame [start, end) in µs: from its first tuple's time to its last one's + 1; is_open: no tuple has closed it.
    aggregates: by name, None for a null; first_row: a number of its first tuple, which rises by
    arrival: frames that start at one time differ in it."""

    start: int
    end: int
    is_open: bool
    aggregates: dict[str, int | float | bool | None]
    first_row: int


class Held(NamedTuple):
    time: int
    row: int
    word: int


def entries_of(ordered: Ordered, of: str) -> list[Held]:
    """All of them, in order; AssertionError where they aren't, or chunks are wrong."""
    assert 0 <= ordered.first <= ordered.end <= ordered.room, f"order of {of}: its chunks stand within its room"
    entries = []
    for place in range(ordered.first, ordered.end):
        chunk = EntryChunk(ordered.order[place])
        assert 0 < chunk.count <= CHUNK_ENTRIES, f"chunks of {of}: chunk {place} has 1 to {CHUNK_ENTRIES} entries"
        held = [chunk.entries[at] for at in range(chunk.count)]
        entries += [Held(each.time, each.row, each.word) for each in held]
    assert len(entries) == ordered.count, f"count of {of}: {ordered.count} of {len(entries)} entries"
    for one, other in zip(entries, entries[1:], strict=False):
        assert one[:2] < other[:2], f"order of {of}: {one[:2]} stands before {other[:2]}"
    return entries


def check_frames(address: int, plan: Plan) -> None:
    """Frames against the tuples that are kept: O(tuples · frames)."""
    s = KeyFrames(address)
    assert s.tuples.count <= s.capacity, f"capacity: {s.tuples.count} tuples of {s.capacity}"
    tuples, before, reach, spans = entries_of(s.tuples, "tuples"), None, None, []
    for entry in entries_of(s.frames, "frames"):
        frame = Frame(entry.word)
        first, last = (frame.first, frame.first_row), (frame.last, frame.last_row)
        assert first == entry[:2], f"frames: that of {first} stands at {entry[:2]}"
        assert first <= last, f"frames: that of {first} ends before it begins, at {last}"
        assert before is None or before < first, f"frames: that of {first} begins before the one before it ends"
        if not (before is None and s.is_cut):
            kept = [each for each in tuples if first <= each[:2] <= last]
            assert kept and kept[0][:2] == first and kept[-1][:2] == last, f"frames: edges of {first} are tuples"
        if s.rules.depends_on == REACH:
            assert reach is None or reach <= frame.first, f"frames: that of {first} begins beyond the reach before it"
            assert frame.last < frame.reach, f"frames: that of {first} reaches beyond its last tuple"
            reach = frame.reach
        before = last
        spans.append((first, last))
    for each in tuples:
        opens_one = s.rules.opens == 0 or s.rules.opens(s.rules.address, each.word) == 1
        in_one = any(first <= each[:2] <= last for first, last in spans)
        assert in_one or not opens_one, f"frames: the tuple {each[:2]} is in one"


class FrameWindow(KernelObject):
    """Frames over the tuples of a key. Times in µs, within ±2**61; of equal times the first to come stands first.

    Raises WrongParameter for a time beyond, BadInput for a NaN, for values that don't fit their columns, for a tuple
    that the kernel can't take (in order only, no cell free, behind an eviction) and for a frame that there is not,
    AggregateFailed for an aggregate without a right answer.
    """

    TABLE, _check = FrameKernel, staticmethod(check_frames)
    WINDOW = "a frame such as windrow.frame makes"
    PANE_OPTIONS: tuple[str, ...] = ()
    """Options in a replay, which evicts by the watermark and by nothing else."""

    def __init__(
        self,
        frame: Window,
        aggregates: Mapping[str, Aggregate],
        column_types: Mapping[str, str] | None = None,
        **options: int | str,
    ):
        column = getattr(frame, "column", None)
        super().__init__(aggregates, column_types, counts_events=True, other_columns=(column,) if column else ())
        self._frame, self._made_options = frame, self.pane_option(options)
        types = self._columns.types
        place, kind = (list(types).index(column), types[column]) if column else (None, "")
        self._rules, self._closing = make_rules(frame, place, kind)
        self._column, self._rows = f"column {column}", KeptRows(len(types))
        made, closing = self._made_options, () if self._closing is None else self._closing.specs
        option_words = [] if made is None else words_of(made.address, made.size_bytes // WORD_BYTES).tolist()
        self._describe((*self._plan.specs, *closing), LAYOUT, option_words, frame)
        self._create(self._rules.address, 0 if made is None else made.address)
        KeyFrames(self._address).events = self._rows.events

    @classmethod
    def takes(cls, window: object) -> bool:
        return isinstance(window, Window)

    @classmethod
    def pane_option(cls, options: Mapping[str, int | str]) -> Struct | None:
        """The options of `create`. Raises WrongParameter."""
        return None

    def insert(self, t: int, v=None) -> None:
        """One tuple: a number for one column, else a tuple of those in `columns`."""
        self.insert_burst([t], [v])

    @in_turn
    def insert_burst(self, ts: Sequence[int] | np.ndarray, vs: Sequence) -> None:
        """Tuples that come at one tick, in order of arrival: a frame is looked at behind the last. Those before one
        that is refused are in."""
        times = np.ascontiguousarray(self._columns.times(ts))
        for time in times[(times < -LIMIT_US) | (times > LIMIT_US)][:1]:
            self._columns.time_within(time)  # refuses it
        source = self._columns.source(vs, times, np.arange(len(times)))
        given = (source.values, source.valid, self._column, lambda place: f"time {times[place]}")
        require_comparable(self._frame, self._rules, *given)
        first = self._rows.append(source, lambda: self._ask("least_row"))
        found = insert_tuples(self.dispatch().address, self._address, address_of(times), first, first + len(times))
        self._require_answers()
        if found % 4 != DONE:
            self._ask("close_burst")
            time, floor = f"time {times[found // 4]}", str(KeyFrames(self._address).floor)
            capacity = getattr(self._made_options, "capacity", 0)
            raise BadInput(refusal(self.kernel_name(), found % 4, time, floor, capacity))

    def _require_answers(self) -> None:
        if self._closing is not None:
            require_answers(self._rules, self._closing.specs[0], self._column)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the values of a tuple, in order."""
        return tuple(self._columns.types)

    @in_turn
    def frames(self) -> list[FoundFrame]:
        """All that are there, in order of time; of threshold frames those that are long enough. O(frames · log tuples +
        tuples that are not in their contents yet): those that came since, of aggregates that don't commute all of a
        frame that got a late one, in a single buffer that sorts all."""
        self._require_answers()
        found = []
        for frame in map(Frame, self._addresses()):
            if answer_frame(self.dispatch().address, self._address, frame.address, self._answers):
                is_open = self._ask("closing_row", frame.address) == NONE
                found.append(FoundFrame(frame.first, frame.last + 1, is_open, self._lowered(), frame.first_row))
        return found

    @in_turn
    def content(self, frame: FoundFrame) -> list[tuple]:
        """The tuples of one of frames(), (time, values …) each, in order; those that were evicted are left out. O(log
        tuples + tuples of the frame)."""
        self._require_answers()
        address = find_frame(self._address, frame.start, frame.first_row)
        if address == 0 or Frame(address).last + 1 != frame.end:
            raise BadInput(f"there is no frame from {frame.start} to {frame.end} any more; ask frames() again")
        rows = np.zeros(self._ask("rows_of", address, 0), np.int64)
        self._ask("rows_of", address, address_of(rows))
        return [self._rows.values_of(int(row), self._columns) for row in rows]

    @in_turn
    def evict(self, time: int) -> None:
        """Let go frames that were closed before `time`, and tuples before it, which are refused from now on. Of an open
        frame the multi-buffer keeps what its tuples come to, the single buffer all of them."""
        self._ask("evict", self._columns.time_within(time))

    @in_turn
    def save(self) -> np.ndarray:
        """All that it holds, int64[words], for `load`. O(tuples). Raises AggregateFailed."""
        self._require_answers()
        rows = self._rows.save(self._ask("least_row"))
        words = self._saved()
        return sealed(self._described, np.concatenate([[len(words)], words, rows]))

    @in_turn
    def load(self, words: np.ndarray) -> None:
        """Become what `save` gave, of the same kernel, frame, aggregates and options. O(tuples · log tuples). Raises
        BadInput for other words."""
        others = self._other_words(", or load another copy")
        words = opened(words, self._described, others)
        end = 1 + int(words[0]) if len(words) else 0
        rows = self._rows.opened(words[max(end, 0) :])
        if not 1 < end < len(words) or rows is None:
            raise BadInput(others)
        self._ask("reset")
        self._rules.has_failed = False
        self._rows.hold(rows, rows.first + len(rows.times))
        if not self._load(words[1:end], self._rows.first, self._rows.end):
            raise BadInput(self._other_words("; it is empty now"))

    def _addresses(self) -> np.ndarray:
        addresses = np.zeros(KeyFrames(self._address).frames.count, np.int64)
        list_frames(self._address, address_of(addresses))
        return addresses
