"""The entry: checks once, picks a kernel per key, calls the compiled loop, names what went wrong."""

from typing import NamedTuple

import numpy as np

from kernels.aggregators.finger_tree.dispatch import dispatch
from kernels.columns import LIMIT_US, check_plan, checked_offsets, checked_times, checked_values, require_whole
from kernels.given import require_kind
from kernels.monoids import AggregateSpec, find_monoid
from kernels.per_event import context
from kernels.per_event.choice import KERNELS, NAMES, choose
from kernels.per_event.context import NO_FAILURE, PerEvent
from kernels.per_event.loop import answer_keys
from kernels.runtime.memory import WORD_BYTES, address_of
from kernels.states.layout import Events
from kernels.states.state_plan import Plan, make_plan
from schemas.errors import AggregateFailed


class KeyedEvents(NamedTuple):
    """Events of many keys in order of arrival; a key's stand together.

    key_offsets: int64[keys + 1]; the events of key k are [key_offsets[k], key_offsets[k + 1])
    time_us: int64[events], event times within ±2**61
    values: int64[columns, events], a 64-bit word a value (float64: by its bits); valid: bool[columns, events]
    """

    key_offsets: np.ndarray
    time_us: np.ndarray
    values: np.ndarray
    valid: np.ndarray


class Answers(NamedTuple):
    """outputs: int64[aggregates, events], words to be read as output_types says; null: bool[aggregates, events];
    kernels: names, one per key."""

    outputs: np.ndarray
    null: np.ndarray
    output_types: tuple[str, ...]
    kernels: tuple[str, ...]


def answer_per_event(
    events: KeyedEvents, size_us: int, aggregates: tuple[AggregateSpec, ...], kernel: str | None = None
) -> Answers:
    """The aggregates over (y − size_us, y] after each event, y being the youngest time that its key has seen by then.

    An event older than that changes nothing. The kernel of a key follows from size, aggregates and its events alone,
    or is the named one. Events in order cost O(1) amortised each, others O(log d) with d the younger ones that came
    before, or by sorted stacks O(1) amortised and a sort of those that are late; releases the GIL. Raises
    WrongParameter for size, kernel or an aggregate, BadInput for columns that don't fit or for disorder that a named
    kernel can't take, AggregateFailed.
    """
    require_kind("events", events, KeyedEvents)
    for spec in aggregates:
        require_kind("aggregates", spec, AggregateSpec)
    require_whole("size_us", size_us, 1, LIMIT_US)
    offsets, times, values, valid = _checked(events)
    plan = make_plan(tuple(aggregates), counts_events=False)
    check_plan(plan.specs, len(values))
    of_key, ranked = choose(kernel, times, offsets, size_us, plan)
    tables = _tables_of(of_key)
    outputs = np.zeros((len(plan.outputs), len(times)), np.int64)
    null = np.zeros(outputs.shape, np.uint8)
    run = PerEvent.make(
        plan=plan.layout,
        state_bytes=WORD_BYTES * plan.state_words,
        size=size_us,
        times=times,
        events=Events.make(values=values, valid=valid, rows=values.shape[1], times=times),
        kernels=tables[tables != 0],
        kernel_count=np.count_nonzero(tables),
        kernel_of_key=tables[of_key],
        tree_kernel=dispatch(),
        answers=_answers_into(outputs, null, plan),
        ranked=context.RankedColumns.make(ranks=ranked.ranks, ascending=ranked.ascending, rows=ranked.rows),
    )
    answer_keys(run.address, address_of(offsets), len(of_key))
    _raise_failure(run.answers, plan)
    return Answers(outputs, null.view(np.bool_), plan.output_types, tuple(NAMES[place] for place in of_key))


def _tables_of(of_key: np.ndarray) -> np.ndarray:
    """Address of the table of each of KERNELS that some key has, 0 for the others, which needn't be compiled."""
    keys = np.bincount(of_key, minlength=len(KERNELS))
    return np.array([kernel.table().address if keys[place] else 0 for place, kernel in enumerate(KERNELS)])


def _answers_into(outputs: np.ndarray, null: np.ndarray, plan: Plan) -> context.AnswerColumns:
    return context.AnswerColumns.make(
        events=outputs.shape[1],
        outputs=len(outputs),
        slots=plan.outputs,
        words=outputs,
        nulls=null,
        failed=NO_FAILURE,
    )


def _checked(events: KeyedEvents) -> tuple[np.ndarray, ...]:
    times = checked_times("time", "event", events.time_us)
    values, valid = checked_values(events.values, events.valid, len(times))
    return checked_offsets(events.key_offsets, len(times)), times, values, valid


def _raise_failure(answers: context.AnswerColumns, plan: Plan) -> None:
    if answers.failed != NO_FAILURE:
        spec, event = plan.specs[answers.failed], answers.failed_event
        raise AggregateFailed(spec.function, f"column {spec.column} after event {event}", find_monoid(spec)[1].failure)
