"""The entry: checks once, puts events in the order in which they may come in, calls the compiled pass, names what went
wrong."""

from typing import NamedTuple

import numpy as np

from windrow.kernels.aggregators.finger_tree import FingerTree
from windrow.kernels.columns import LIMIT_US, check_plan, checked_offsets, checked_times, require_kind, require_whole
from windrow.kernels.monoids import AggregateSpec, output_type
from windrow.kernels.probes.probe import NO_FAILURE, ProbeAnswers, Probing, probe_calls
from windrow.kernels.replay.late import FOREVER_US
from windrow.kernels.replay.order_statistics import ReplayedEvents, failure_of, of_states, with_order_statistics
from windrow.kernels.replay.stop import interrupts, raise_why_stopped
from windrow.kernels.replay.types import (
    AggregatePlan,
    CallLimits,
    EventColumns,
    PassTicks,
    ReplayRules,
    ResultRows,
    check_columns,
)
from windrow.kernels.runtime.memory import WORD_BYTES, address_of
from windrow.kernels.states.layout import Events
from windrow.kernels.states.state_plan import Plan, make_plan
from windrow.schemas.errors import AggregateFailed, BadInput, WrongParameter

NO_LIMITS = CallLimits()
# No watermark: no event is late for a probe.
NO_TICKS = PassTicks(np.zeros(0, np.int64), np.zeros(0, np.int64))
ALL_IN_TIME = ReplayRules(0, FOREVER_US, "arrival")


class Probes(NamedTuple):
    """Moments at which keys are asked; those of a key stand together and ascend.

    key_offsets: int64[keys + 1], of the keys of the events
    time_us: int64[probes], within ±2**61
    """

    key_offsets: np.ndarray
    time_us: np.ndarray


class EnteringEvents(NamedTuple):
    """Events of keys, and in which order they may come in, which all probes share.

    columns: as they were given; as_known: whether an event comes in when it has both started and arrived, else when it
    has started; starts_us, enters_us, values, valid: key by key in the order of `enters_us`
    """

    columns: EventColumns
    as_known: bool
    starts_us: np.ndarray
    enters_us: np.ndarray
    values: np.ndarray
    valid: np.ndarray

    @classmethod
    def of(cls, events: EventColumns, as_known: bool) -> "EnteringEvents":
        """O(events log events). BadInput for columns that break their contract."""
        require_kind("events", events, EventColumns)
        columns = check_columns(events, ALL_IN_TIME, last=False)
        starts, values, valid = columns.start_us, columns.values, columns.valid
        enters = np.maximum(starts, columns.arrival_us) if as_known else starts
        keys = np.repeat(np.arange(len(columns.key_offsets) - 1), np.diff(columns.key_offsets))
        if ((keys[1:] == keys[:-1]) & (enters[1:] < enters[:-1])).any():
            order = np.lexsort((enters, keys))  # stable: of several at one time, in order of arrival
            starts, enters = starts[order], enters[order]
            values, valid = (each.take(order, axis=1) for each in (values, valid))
        return cls(columns, as_known, starts, enters, values, valid)

    def of_keys(self, first: int, end: int) -> "EnteringEvents":
        """Those of the keys [first, end), numbered from 0. O(their events)."""
        columns, labels, offsets = self.columns, self.columns.labels, self.columns.key_offsets
        held = slice(offsets[first], offsets[end])
        named = labels._replace(
            key=lambda key: labels.key(first + key),
            values=lambda column, key, *window: labels.values(column, first + key, *window),
        )
        times, words = (columns.start_us, columns.arrival_us), (columns.values, columns.valid)
        given = (*(each[held] for each in times), *(each[:, held] for each in words), None, named)
        values, valid = (np.ascontiguousarray(each[:, held]) for each in (self.values, self.valid))
        of_keys = EventColumns(offsets[first : end + 1] - offsets[first], *given)
        return EnteringEvents(of_keys, self.as_known, self.starts_us[held], self.enters_us[held], values, valid)


class Probed(NamedTuple):
    """Answers, and which of them each probe has: those share one between which nothing came into the window or went.

    answer_of: int64[probes], which ascends; outputs: int64[aggregates, answers], words to be read as output_types says;
    null: bool of that shape
    """

    answer_of: np.ndarray
    outputs: np.ndarray
    null: np.ndarray
    output_types: tuple[str, ...]


def probe_keys(
    events: EnteringEvents, probes: Probes, size_us: int, plan: AggregatePlan, limits: CallLimits = NO_LIMITS
) -> Probed:
    """The aggregates of each probe over the events of its key that start in (time − size, time].

    As known, of the events that had arrived by the time only; else of all that ever arrived. An event that starts after
    the time is never counted. Where order matters, events are taken by (start, arrival, seq).
    O(events · log d + probes), d being how many younger events come in before an event; an order statistic takes
    O((events + steps) log values), steps being the events by which neighbouring probes differ. Releases the GIL.
    Raises WrongParameter for a size and aggregates, BadInput for probes that break their contract, AggregateFailed,
    TooManySeconds, KernelOutOfMemory, KeyboardInterrupt after a signal.
    """
    require_kind("probes", probes, Probes)
    require_kind("plan", plan, AggregatePlan)
    require_whole("size_us", size_us, 1, LIMIT_US)
    if not plan.aggregates:
        raise WrongParameter("plan", plan, "at least one aggregate")
    check_plan(plan.aggregates, len(events.values))
    asked = _checked(probes, len(events.columns.key_offsets))
    found = _of_states(events, asked, size_us, of_states(plan), limits)
    if len(of_states(plan).aggregates) == len(plan.aggregates):
        return found
    rows = _as_rows(asked, size_us, events.as_known, found)
    every = with_order_statistics(
        ReplayedEvents(events.columns, NO_TICKS, ALL_IN_TIME._replace(limits=limits), rows), plan
    )
    return Probed(np.arange(len(asked.time_us)), every.outputs, every.null, every.output_types)


def _checked(probes: Probes, offsets: int) -> Probes:
    times = checked_times("time", "probe", probes.time_us)
    asked = Probes(checked_offsets(probes.key_offsets, len(times)), times)
    if len(asked.key_offsets) != offsets:
        raise BadInput(f"probes of {len(asked.key_offsets) - 1} keys, but events of {offsets - 1}")
    falls = np.flatnonzero(times[1:] < times[:-1]) + 1
    if len(within := falls[~np.isin(falls, asked.key_offsets)]):
        raise BadInput(f"time goes backwards within a key at probe {int(within[0])}; sort probes by (key, time)")
    return asked


def _of_states(events: EnteringEvents, probes: Probes, size_us: int, plan: AggregatePlan, limits: CallLimits) -> Probed:
    """The outputs of aggregates that states answer."""
    count, types = len(probes.time_us), tuple(map(output_type, plan.aggregates))
    # Memory that no answer is written to is never there.
    outputs, null = (np.empty((len(types), count), kind) for kind in (np.int64, np.uint8))
    if not plan.aggregates:
        return Probed(np.zeros(count, np.int64), outputs, null.view(np.bool_), types)
    states, answer_of = make_plan(plan.aggregates, counts_events=False), np.empty(count, np.int64)
    answers = ProbeAnswers.make(
        room=count, outputs=len(types), slots=states.outputs, words=outputs, nulls=null, failed=NO_FAILURE
    )
    p, calls = _probing(events, probes, states, limits), probe_calls()
    p.size, p.answers, p.answer_of = size_us, answers, address_of(answer_of)
    try:
        calls.probe(p.address, len(probes.key_offsets) - 1)
        raise_why_stopped(p.stop.asked, 0, 0)
        if answers.failed != NO_FAILURE:
            probe = int(np.searchsorted(answer_of, answers.failed_answer))
            raise _failure(events.columns, probes, size_us, states.specs[answers.failed], probe)
    finally:
        calls.end_probe(p.address)
    return Probed(answer_of, outputs[:, : answers.count], null[:, : answers.count].view(np.bool_), types)


def _probing(events: EnteringEvents, probes: Probes, states: Plan, limits: CallLimits) -> Probing:
    of_states = {"values": events.values, "valid": events.valid, "times": events.starts_us}
    stop = np.zeros(1, np.int64) if limits.stop is None else limits.stop
    made = Probing.make(
        plan=states.layout,
        state_bytes=WORD_BYTES * states.state_words,
        events=Events.make(rows=events.values.shape[1], **of_states),
        starts=events.starts_us,
        enters=events.enters_us,
        first_event=events.columns.key_offsets,
        probes=probes.time_us,
        first_probe=probes.key_offsets,
        kernel=FingerTree.dispatch(),
    )
    signals = interrupts()
    made.stop.interrupts, made.stop.interrupts_before = address_of(signals), int(signals[0])
    made.stop.from_outside = address_of(stop)
    object.__setattr__(made, "_kept", [made._kept, signals, stop])
    return made


def _failure(columns: EventColumns, probes: Probes, size_us: int, spec: AggregateSpec, probe: int) -> AggregateFailed:
    key = int(np.searchsorted(probes.key_offsets, probe, "right")) - 1
    time_us = int(probes.time_us[probe])
    return failure_of(spec, columns.labels, key, time_us - size_us + 1, time_us + 1, time_us)


def _as_rows(probes: Probes, size_us: int, as_known: bool, found: Probed) -> ResultRows:
    """What a replay would say with rows: window [time − size + 1 µs, time + 1 µs), emitted at the time, or when
    everything has arrived."""
    key = np.repeat(np.arange(len(probes.key_offsets) - 1), np.diff(probes.key_offsets))
    times, zero = probes.time_us, np.zeros(len(key), np.int64)
    emitted = times if as_known else np.full(len(key), FOREVER_US)
    windows = (times - size_us + 1, times + 1, zero, zero, zero, emitted, zero, zero)
    outputs, null = (each[:, found.answer_of] for each in (found.outputs, found.null))
    return ResultRows(key, *windows, outputs, null, found.output_types, {})
