"""The entry: checks once, puts events in the order in which they may come in, calls the compiled pass once for each
size, names what went wrong."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from windrow.kernels.aggregators.finger_tree import FingerTree
from windrow.kernels.columns import LIMIT_US, check_plan, checked_offsets, checked_times, require_kind, require_whole
from windrow.kernels.monoids import output_type
from windrow.kernels.probes.probe import NO_FAILURE, ProbeOutputs, Probing, probe_calls
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


class Probed(NamedTuple):
    """outputs: int64[sizes, aggregates, probes], words to be read as output_types says; null: bool of that shape."""

    outputs: np.ndarray
    null: np.ndarray
    output_types: tuple[str, ...]


def probe_keys(
    events: EnteringEvents,
    probes: Probes,
    sizes_us: Sequence[int],
    plan: AggregatePlan,
    limits: CallLimits = NO_LIMITS,
) -> Probed:
    """The aggregates of each probe over the events of its key that start in (time − size, time], for each size.

    As known, of the events that had arrived by the time only; else of all that ever arrived. An event that starts after
    the time is never counted. Where order matters, events are taken by (start, arrival, seq).
    O(sizes · (events · log d + probes)), d being how many younger events come in before an event; an order statistic
    takes O((events + steps) log values), steps being the events by which neighbouring probes differ. Releases the GIL.
    Raises WrongParameter for sizes and aggregates, BadInput for probes that break their contract, AggregateFailed,
    TooManySeconds, KernelOutOfMemory, KeyboardInterrupt after a signal.
    """
    require_kind("probes", probes, Probes)
    require_kind("plan", plan, AggregatePlan)
    if not sizes_us or not plan.aggregates:
        raise WrongParameter("sizes_us and plan", (sizes_us, plan), "at least one size and one aggregate")
    for size_us in sizes_us:
        require_whole("sizes_us", size_us, 1, LIMIT_US)
    check_plan(plan.aggregates, len(events.values))
    asked = _checked(probes, len(events.columns.key_offsets))
    found = _of_states(events, asked, sizes_us, of_states(plan), limits)
    if len(of_states(plan).aggregates) == len(plan.aggregates):
        return found
    rules = ALL_IN_TIME._replace(limits=limits)
    every = [
        with_order_statistics(ReplayedEvents(events.columns, NO_TICKS, rules, rows), plan)
        for rows in _as_rows(asked, sizes_us, events.as_known, found)
    ]
    outputs, null = (np.array([getattr(each, name) for each in every]) for name in ("outputs", "null"))
    return Probed(outputs, null, every[0].output_types)


def _checked(probes: Probes, offsets: int) -> Probes:
    times = checked_times("time", "probe", probes.time_us)
    asked = Probes(checked_offsets(probes.key_offsets, len(times)), times)
    if len(asked.key_offsets) != offsets:
        raise BadInput(f"probes of {len(asked.key_offsets) - 1} keys, but events of {offsets - 1}")
    falls = np.flatnonzero(times[1:] < times[:-1]) + 1
    if len(within := falls[~np.isin(falls, asked.key_offsets)]):
        raise BadInput(f"time goes backwards within a key at probe {int(within[0])}; sort probes by (key, time)")
    return asked


def _of_states(
    events: EnteringEvents, probes: Probes, sizes_us: Sequence[int], plan: AggregatePlan, limits: CallLimits
) -> Probed:
    """The outputs of aggregates that states answer."""
    shape = (len(sizes_us), len(plan.aggregates), len(probes.time_us))
    outputs, null = np.zeros(shape, np.int64), np.zeros(shape, np.uint8)
    types = tuple(map(output_type, plan.aggregates))
    if not plan.aggregates:
        return Probed(outputs, null.view(np.bool_), types)
    states = make_plan(plan.aggregates, counts_events=False)
    p, calls = _probing(events, probes, states, limits), probe_calls()
    try:
        for size_us, words, nulls in zip(sizes_us, outputs, null, strict=True):
            p.size, p.outputs.words, p.outputs.nulls = size_us, address_of(words), address_of(nulls)
            calls.probe(p.address, len(probes.key_offsets) - 1)
            raise_why_stopped(p.stop.asked, 0, 0)
            if p.outputs.failed != NO_FAILURE:
                raise _failure(events.columns, probes, size_us, states, p.outputs)
    finally:
        calls.end_probe(p.address)
    return Probed(outputs, null.view(np.bool_), types)


def _probing(events: EnteringEvents, probes: Probes, states: Plan, limits: CallLimits) -> Probing:
    of_states = {"values": events.values, "valid": events.valid, "times": events.starts_us}
    outputs = {"slots": states.outputs, "outputs": len(states.outputs), "failed": NO_FAILURE}
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
        outputs=ProbeOutputs.make(probes=len(probes.time_us), **outputs),
        kernel=FingerTree.dispatch(),
    )
    signals = interrupts()
    made.stop.interrupts, made.stop.interrupts_before = address_of(signals), int(signals[0])
    made.stop.from_outside = address_of(stop)
    object.__setattr__(made, "_kept", [made._kept, signals, stop])
    return made


def _failure(columns: EventColumns, probes: Probes, size_us: int, states: Plan, out: ProbeOutputs) -> AggregateFailed:
    key = int(np.searchsorted(probes.key_offsets, out.failed_probe, "right")) - 1
    time_us = int(probes.time_us[out.failed_probe])
    window = (time_us - size_us + 1, time_us + 1)
    return failure_of(states.specs[out.failed], columns.labels, key, *window, time_us)


def _as_rows(probes: Probes, sizes_us: Sequence[int], as_known: bool, found: Probed) -> Iterator[ResultRows]:
    """For each size, what a replay would say with rows: window [time − size + 1 µs, time + 1 µs), emitted at the time,
    or when everything has arrived."""
    key = np.repeat(np.arange(len(probes.key_offsets) - 1), np.diff(probes.key_offsets))
    times, zero = probes.time_us, np.zeros(len(key), np.int64)
    emitted = times if as_known else np.full(len(key), FOREVER_US)
    for size_us, outputs, null in zip(sizes_us, found.outputs, found.null, strict=True):
        windows = (times - size_us + 1, times + 1, zero, zero, zero, emitted, zero, zero)
        yield ResultRows(key, *windows, outputs, null, found.output_types, {})
