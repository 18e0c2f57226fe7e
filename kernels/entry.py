"""The public entry of the replay: checks once, calls the compiled loop, names what went wrong."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.bounds import Extent, KernelWindow
from windrow.kernels.columns import check_plan, require_kind
from windrow.kernels.kinds import window_kind
from windrow.kernels.monoids import answered_by_states
from windrow.kernels.replay.carried import KeptKeys, describe, with_kept_rows
from windrow.kernels.replay.clock import NEVER
from windrow.kernels.replay.context import Replay
from windrow.kernels.replay.expected_rows import expected_rows
from windrow.kernels.replay.kernel_selection import (
    FINGER_TREE,
    KERNELS,
    MULTI_BUFFER,
    LeftToEvents,
    Selection,
    checked_choice,
    keeper_of,
    select_kernels,
)
from windrow.kernels.replay.loop import replay_calls
from windrow.kernels.replay.numbered.spans import with_shares
from windrow.kernels.replay.order_statistics import (
    ReplayedEvents,
    failure_of,
    is_order_statistic,
    of_states,
    with_order_statistics,
)
from windrow.kernels.replay.pane_states import checked_panes
from windrow.kernels.replay.rows import NULLS, ROW_WORDS
from windrow.kernels.replay.stop import interrupts, most_rows, raise_why_stopped
from windrow.kernels.replay.types import (
    EMITS,
    AggregatePlan,
    EventColumns,
    KernelChoice,
    PassTicks,
    ReplayRules,
    ResultRows,
    WindowSpec,
    check_columns,
    check_rules,
    check_ticks,
)
from windrow.kernels.replay.window_kind import WindowKind
from windrow.kernels.runtime.arrays import words_of
from windrow.kernels.runtime.memory import WORD_BYTES, address_of
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.states.layout import Events
from windrow.kernels.states.state_plan import Plan, make_plan
from windrow.schemas.errors import NotServed, TooManyRows, WrongParameter

MOST_AGGREGATES = 63
LEAST_PATIENCE = 32
"""Windows in a row that ask the structure before a walk makes a front (walk.py); tests make do with none."""

LEAST_FORGOTTEN = 64
"""Tuples that come before a context-bound key lets go of what is final; tests make do with one."""


class Job(NamedTuple):
    """A replay whose parts are checked; every array that compiled code reads lives as long as this."""

    columns: EventColumns
    kind: WindowKind
    window: KernelWindow
    states: Plan
    steps: tuple[np.ndarray, np.ndarray]
    rules: ReplayRules
    selection: Selection
    kept: KeptKeys | None

    @property
    def row_words(self) -> int:
        return ROW_WORDS + len(self.states.outputs)


def choose(
    window: WindowSpec, plan: AggregatePlan, name: str | None = None, options: Mapping[str, int] | None = None
) -> KernelChoice | LeftToEvents:
    """The named kernel, refused if it can't serve the query; without a name a choice that the events of each key
    make."""
    if name is not None and name not in KERNELS:
        raise NotServed("kernel", name, KERNELS)
    kind = window_kind(window.kind)
    for spec in plan.aggregates:
        # Which events such a window held at a row's time does not follow from the row's bounds.
        if kind.depends_on_others and is_order_statistic(spec):
            raise NotServed(f"aggregate of {window.kind} windows", spec.function, answered_by_states())
    able = tuple(kind.kernels())
    if name is not None and name not in able:
        raise NotServed(f"kernel for {window.kind} windows", name, able)
    if kind.depends_on_others:
        name = name or (MULTI_BUFFER if MULTI_BUFFER in able else FINGER_TREE)
        return checked_choice(name, f"{name} in a replay", options or {})
    keeper_of(kind.least_refusing if name is None else name).refuse(of_states(plan).aggregates)
    if name is None and kind.events_last:
        for option in options or {}:
            raise WrongParameter("options", option, f"none unless a kernel is named, such as {', '.join(able)}")
        return LeftToEvents.of(of_states(plan))
    return checked_choice(name, name or "a replay", options or {})


def replay_keys(
    columns: EventColumns,
    window: WindowSpec,
    plan: AggregatePlan,
    ticks: PassTicks,
    rules: ReplayRules,
    kernel: KernelChoice | None = None,
) -> ResultRows:
    """Replay many keys through one window (semantics §1-§3) and return every row whose tick is reached.

    Events that are too late change no row; the late table lists them. types.py has sort order, shapes and units.
    Raises WrongParameter for a parameter that is not allowed, NotServed for a window, aggregate or kernel that is not
    supported, BadInput for columns that break their contract (it names the event), AggregateFailed for a sum beyond
    int64, TooManyRows beyond the limits, TooManySeconds if it was told to stop, KernelOutOfMemory, KeyboardInterrupt
    after a signal. Releases the GIL. If no kernel is named, the time is O(events · log d + rows · log panes), d being
    the number of panes that an event arrives behind.
    """
    kernel = KernelChoice(None) if kernel is None else kernel
    for name, given, of in (
        ("columns", columns, EventColumns),
        ("window", window, WindowSpec),
        ("plan", plan, AggregatePlan),
        ("ticks", ticks, PassTicks),
        ("rules", rules, ReplayRules),
        ("kernel", kernel, KernelChoice),
    ):
        require_kind(name, given, of)
    check_rules(rules)
    ticks = check_ticks(ticks)
    kind = window_kind(window.kind)
    columns = with_shares(check_columns(columns, rules, kind.events_last), plan)
    if len(plan.aggregates) > MOST_AGGREGATES:
        raise WrongParameter("aggregates", len(plan.aggregates), f"at most {MOST_AGGREGATES} in one query")
    states = make_plan(of_states(plan).aggregates)
    check_plan(plan.aggregates, len(columns.values))
    choice = choose(window, plan, kernel.name, dict(kernel.options))
    kept = None
    if rules.carried is not None:
        of = describe(window, kind.source_digest(window.asked), plan.aggregates, choice, rules)
        kept = _kept(columns, kind, rules.carried, of)
    columns = columns if kept is None else kept.columns
    starts = columns.start_us
    if rules.panes is not None:
        if choice.name not in (None, FINGER_TREE):
            raise NotServed("kernel for panes that are kept", str(choice.name), (FINGER_TREE,))
        rules = checked_panes(rules, columns, kind, states)
        starts = np.concatenate((starts, rules.panes.starts_us))
    extent = Extent(int(starts.min()), int(starts.max())) if len(starts) else Extent(0, -1)
    made = kind.make(window, extent)
    steps = _steps(ticks, rules)
    if kind.depends_on_others:
        selection = kind.select(choice, columns, made, window, states.layout)
    else:
        selection = select_kernels(choice, columns, kind, made, steps, rules.emit)
    rows = _run(Job(columns, kind, made, states, steps, rules, selection, kept))
    return with_order_statistics(ReplayedEvents(columns, ticks, rules, rows.starting(*rules.starts_us)), plan)


def _steps(ticks: PassTicks, rules: ReplayRules) -> tuple[np.ndarray, np.ndarray]:
    """Ticks and watermarks; the completing tick is the last step and takes the watermark to infinity."""
    step_ticks = np.array(ticks.tick_us, np.int64)
    marks = np.array(ticks.newest_start_us, np.int64) - rules.lateness_us
    if rules.complete_tick_us is None:
        return step_ticks, marks
    before = np.searchsorted(step_ticks, rules.complete_tick_us, "left")
    return np.append(step_ticks[:before], rules.complete_tick_us), np.append(marks[:before], FOREVER)


def _run(job: Job) -> ResultRows:
    most = most_rows(job.rules.limits, job.row_words)
    expected = 0
    if not (job.kind.depends_on_others or job.kind.keeps_events):  # else the events say which windows there are
        expected = expected_rows(job.window, job.columns, job.steps, job.rules, most)
    if expected > most:
        raise TooManyRows(expected, most, WORD_BYTES * job.row_words)
    stop = np.zeros(1, np.int64) if job.rules.limits.stop is None else job.rules.limits.stop
    r, calls = _context(job, most, interrupts(), stop), replay_calls()
    try:
        count = calls.replay(r.address, len(job.columns.key_offsets) - 1)
        job.selection.require_replayed(r.dependent.refused, r.dependent.refused_row)
        raise_why_stopped(r.stop.asked, most, job.row_words)
        rows = np.empty((job.row_words, count), np.int64)
        calls.take_rows(r.rows.address, r.stop.address, address_of(rows))
        raise_why_stopped(r.stop.asked, most, job.row_words)
        carried = words_of(r.carried.saved.first, r.carried.saved.used).copy()
    finally:
        calls.end_replay(r.address)
    failure = r.rows.failure
    if failure.output:
        spec, window = job.states.specs[failure.output - 1], (failure.start, failure.end)
        raise failure_of(spec, job.columns.labels, failure.key, *window, failure.tick)
    found = _result(rows, job.states, job.selection)
    return found if job.kept is None else found._replace(carried=job.kept.split(carried))


def _kept(columns: EventColumns, kind: WindowKind, carried: Sequence[np.ndarray], of: int) -> KeptKeys:
    """WrongParameter for windows of which nothing is carried, or for another number of keys."""
    if not kind.depends_on_others:
        raise WrongParameter("carried", len(carried), "None for windows that don't depend on other events of their key")
    if len(carried) != len(columns.key_offsets) - 1:
        raise WrongParameter("carried", len(carried), f"an array for each of {len(columns.key_offsets) - 1} keys")
    return with_kept_rows(columns, carried, of)


def _context(job: Job, most: int, interrupts: np.ndarray, stop: np.ndarray) -> Replay:
    columns, rules, states, kept = job.columns, job.rules, job.states, job.kept
    values, (ticks, marks), (ranks, ascending, in_time_order) = columns.values, job.steps, job.selection.ranked
    r = Replay.make(plan=states.layout, emit=EMITS.index(rules.emit), window=job.window)
    events = Events.make(values=values, valid=columns.valid, rows=values.shape[1], times=columns.start_us)
    object.__setattr__(r, "_kept", [r._kept, events])
    patience = rules.allowed_us if rules.emit == "final" else 0
    _fill(r.clock, ticks=ticks, marks=marks, steps=len(ticks), allowed=rules.allowed_us, patience=patience)
    r.clock.begins = NEVER if rules.panes is None else rules.panes.from_us
    _fill(r.stop, interrupts=interrupts, interrupts_before=int(interrupts[0]), from_outside=stop)
    _fill(r.rows, row_words=job.row_words, most=most, outputs=states.outputs, output_count=len(states.outputs))
    r.rows.kept_from = -FOREVER if rules.rows_from_us is None else rules.rows_from_us
    _fill(r.kernels, count=len(job.selection.in_use), in_use=job.selection.in_use, of_key=job.selection.of_key)
    _fill(r.kernels, ascending=ascending, rows=in_time_order)
    _fill(r.events, starts=columns.start_us, ends=columns.end_us, arrivals=columns.arrival_us, ranks=ranks)
    _fill(r.events, first_of_key=columns.key_offsets, columns=events, shares=columns.shares)
    r.numbered.least_patience, r.dependent.least_forgotten = LEAST_PATIENCE, LEAST_FORGOTTEN
    if not job.kind.depends_on_others:
        r.numbered.placement = job.kind.placement()
    if rules.panes is not None:
        first_of_key, starts_us, of_panes, _ = rules.panes
        _fill(r.numbered.kept, first_of_key=first_of_key, starts=starts_us, states=of_panes)
    if kept is not None:
        _fill(r.carried, kept=kept.rows, words=kept.words, begins=kept.begins, ends=kept.ends, firsts=kept.firsts)
        r.carried.is_wanted = True
    return r


def _fill(part: Struct, **values: Any) -> None:
    """Set fields of a part, of arrays to their addresses; to 0 where there is no array."""
    for name, value in values.items():
        setattr(part, name, address_of(value) if isinstance(value, np.ndarray) else value or 0)


def _result(rows: np.ndarray, states: Plan, selection: Selection) -> ResultRows:
    """The rows' words, one array per word, as ResultRows."""
    outputs = rows[ROW_WORDS:]
    null = (rows[NULLS] >> np.arange(len(outputs))[:, None] & 1).astype(np.bool_)
    return ResultRows(*rows[:NULLS], outputs, null, states.output_types, selection.counted())
