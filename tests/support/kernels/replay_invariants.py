"""What holds of a replay's own structures between two events, by plain Python over the memory as it stands.

Each check raises AssertionError with a sentence for the first invariant that doesn't hold.
"""

from typing import NamedTuple

import numpy as np

from windrow.kernels.aggregators._dispatch import TIME_BYTES
from windrow.kernels.objects.checking import differing_word, folded, suffixed
from windrow.kernels.replay.context import Replay
from windrow.kernels.replay.numbered.late_times import LATE_TIME_WORDS, LEVELS, RUN, LateTime, LateTimes
from windrow.kernels.replay.numbered.open_windows import NO_KEY, NO_ROW, WindowEntry, find_entry
from windrow.kernels.replay.numbered.walk import Walk
from windrow.kernels.runtime.addresses import plain
from windrow.kernels.runtime.arrays import records_of, words_of
from windrow.kernels.runtime.memory import WORD_BYTES, address_of
from windrow.kernels.states.state_plan import Plan

TIME_WORDS = TIME_BYTES // WORD_BYTES


def check_late_times(late: LateTimes) -> None:
    """O(late events)."""
    assert late.used % LATE_TIME_WORDS == 0 and late.used <= late.room, "pairs: whole ones, within their room"
    pairs = records_of(LateTime, late.first.address, late.used // LATE_TIME_WORDS)
    times, watermarks = pairs["time"], pairs["watermark"]
    assert bool((np.diff(watermarks) >= 0).all()), "watermarks: they never fall"
    assert bool((times < watermarks).all()), "late: each time lies before its watermark"
    for level in range(LEVELS):
        _check_level(late, level, times)


def _check_level(late: LateTimes, level: int, times: np.ndarray) -> None:
    length, runs = RUN << level, late.runs[level]
    whole = len(times) // length
    assert runs.used == whole * length, f"runs: level {level} has all {whole} that are whole"
    found, wanted = words_of(runs.first, whole, length), np.sort(times[: whole * length].reshape(whole, length))
    assert bool((found == wanted).all()), f"runs: those of level {level} are the times in order"


def check_open_windows(r: Replay) -> None:
    """O(room)."""
    table = r.numbered.open
    words = words_of(table.entries, table.room, table.entry_bytes // WORD_BYTES)
    owners = words[:, WindowEntry.offsets["owner"] // WORD_BYTES]
    assert table.room & (table.room - 1) == 0, f"room: {table.room} is a power of two"
    there = np.count_nonzero(owners != NO_KEY)
    assert there <= table.used <= table.room // 2, (
        f"used: {table.used} are {there} at least, and half of the room at most"
    )
    assert bool((owners <= r.key).all()), "owner: no entry is of a key to come"
    for place in np.flatnonzero(owners == r.key):
        _check_window(r, WindowEntry(table.entries + table.entry_bytes * int(place)))


def _check_window(r: Replay, entry: WindowEntry) -> None:
    number = entry.number
    assert plain(find_entry)(r, number).address == entry.address, f"found: window {number} is, and is there once"
    assert entry.revision >= NO_ROW, f"revision: that of window {number} counts from 0"
    assert 0 <= entry.late <= entry.events, f"late: of window {number} no more than all its events"
    if r.numbered.open.has_states and entry.revision != NO_ROW:
        assert entry.state[0] == entry.events, f"state: that of window {number} covers its events"


class _Entries(NamedTuple):
    times: np.ndarray
    states: np.ndarray


def check_walk(r: Replay, walk: Walk, plan: Plan) -> None:
    """Against the entries that the kernel of the key at hand holds. O(entries of the window)."""
    assert 0 <= walk.asked <= walk.patience, f"patience: {walk.asked} windows asked, of {walk.patience}"
    if not walk.is_valid:
        return
    assert walk.low <= walk.middle <= walk.high, "window: front and back meet within it"
    front, first = _front(walk, plan)
    assert bool((front.times[:first] < walk.low).all()), "first: what stands before it is older than the window"
    assert bool((front.times[first:] >= walk.low).all()), "first: it begins the window"
    # What was evicted since is not there to be compared with; no window to come holds it.
    oldest = min(max(walk.low, r.kernel.oldest(r.structure)), walk.high)
    _check_front(r, walk, _Entries(*(each[front.times >= oldest] for each in front)), oldest, plan)
    if oldest <= walk.middle:
        held = _held(r, walk.middle, walk.high, plan).states
        wrong = differing_word(plan, words_of(walk.back, plan.state_words), folded(plan, held))
        assert wrong is None, f"back: word {wrong[0]} of its aggregate"


def _front(walk: Walk, plan: Plan) -> tuple[_Entries, int]:
    """The front's entries, and which of them begins the window."""
    words = TIME_WORDS + plan.state_words
    front = words_of(walk.front.first, walk.front.used // words, words)
    first, rest = divmod(walk.first - walk.front.first, WORD_BYTES * words)
    assert rest == 0 and 0 <= first <= len(front), "first: it is an entry of the front, or the end"
    times = front[:, 0]
    assert bool((np.diff(times) > 0).all() and (times < walk.middle).all()), "front: times ascend, up to the middle"
    return _Entries(times, front[:, TIME_WORDS:]), first


def _check_front(r: Replay, walk: Walk, front: _Entries, oldest: int, plan: Plan) -> None:
    held = _held(r, oldest, walk.middle, plan)
    assert front.times.tolist() == held.times.tolist(), "front: it has the entries of the window up to the middle"
    if len(held.times):
        wrong = differing_word(plan, front.states, suffixed(plan, held.states))
        assert wrong is None, f"front: entry {wrong[0]} holds the aggregate from itself to the middle"


def _held(r: Replay, low: int, high: int, plan: Plan) -> _Entries:
    """What the kernel holds in [low, high)."""
    count = r.kernel.count_between(r.structure, low, high) if low < high else 0
    entries = np.zeros((count, TIME_WORDS + plan.state_words), np.int64)
    if count:
        r.kernel.copy_entries(r.structure, low, high, address_of(entries))
    return _Entries(entries[:, 0], entries[:, TIME_WORDS:])
