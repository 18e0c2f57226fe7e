"""The entry: checks once, picks a kernel per key, calls the compiled loop, names what went wrong."""

from typing import NamedTuple

import numpy as np

from kernels.aggregators.finger_tree.dispatch import dispatch
from kernels.columns import LIMIT_US, check_offsets, check_plan, check_times, checked_values
from kernels.monoids import AggregateSpec, find_monoid
from kernels.per_event import context
from kernels.per_event.by_sorted_stacks import MOST_PLACES, count_places
from kernels.per_event.context import NO_FAILURE, PerEvent
from kernels.per_event.loop import BY_SORTED_STACKS, answer_keys
from kernels.ranks.disorder import BY_RANKS, IN_ORDER, MOST_RANKED_WORDS, classify_keys
from kernels.ranks.sort import Ranked, rank_keys
from kernels.runtime.memory import WORD_BYTES, address_of
from kernels.states.layout import Events
from kernels.states.plan import Plan, make_plan
from schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter

KERNELS = ("two_stacks_lite", "finger_tree", "rank_tree", "sorted_stacks")
FEW = 4096
"""Events of a key up to which sorting them all isn't worth its while."""


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
    if type(size_us) is not int or not 0 < size_us <= LIMIT_US:
        raise WrongParameter("size_us", size_us, f"1 to {LIMIT_US} µs")
    offsets, times, values, valid = _checked(events)
    plan = make_plan(tuple(aggregates), counts_events=False)
    check_plan(plan, len(values))
    kernels, ranked = _chosen(kernel, times, offsets, size_us, plan)
    outputs = np.zeros((len(plan.outputs), len(times)), np.int64)
    null = np.zeros(outputs.shape, np.uint8)
    run = PerEvent.make(
        plan=plan.layout,
        state_bytes=WORD_BYTES * plan.state_words,
        size=size_us,
        times=times,
        events=Events.make(values=values, valid=valid, rows=values.shape[1], times=times),
        kernel_of_key=kernels,
        answers=_answers_into(outputs, null, plan),
        ranked=context.Ranked.make(ranks=ranked.ranks, ascending=ranked.ascending, rows=ranked.rows),
        tree_kernel=dispatch(),
    )
    answer_keys(run.address, address_of(offsets), len(kernels))
    _raise_failure(run.answers, plan)
    return Answers(outputs, null.view(np.bool_), plan.output_types, tuple(KERNELS[each] for each in kernels))


def _answers_into(outputs: np.ndarray, null: np.ndarray, plan: Plan) -> context.Answers:
    return context.Answers.make(
        events=outputs.shape[1],
        outputs=len(outputs),
        slots=plan.outputs,
        words=outputs,
        nulls=null,
        failed=NO_FAILURE,
    )


def _chosen(
    kernel: str | None, times: np.ndarray, offsets: np.ndarray, size_us: int, plan: Plan
) -> tuple[np.ndarray, Ranked]:
    """Code of each key's kernel, and the events of those that need them ranked."""
    ranks_serve = plan.layout.is_commutative and plan.state_words <= MOST_RANKED_WORDS
    kernels = np.zeros(len(offsets) - 1, np.int64)
    classify_keys(address_of(times), address_of(offsets), len(kernels), int(ranks_serve), address_of(kernels))
    if kernel is not None:
        kernels[:] = _named(kernel, kernels, plan)
        return kernels, rank_keys(times, offsets, np.flatnonzero(kernels >= BY_RANKS))
    to_rank = np.flatnonzero((kernels != IN_ORDER) & (np.diff(offsets) > FEW) & ranks_serve)
    ranked = rank_keys(times, offsets, to_rank)
    _prefer_sorted_stacks(kernels, times, offsets, ranked, size_us, to_rank)
    return kernels, ranked


def _prefer_sorted_stacks(
    kernels: np.ndarray, times: np.ndarray, offsets: np.ndarray, ranked: Ranked, size_us: int, keys: np.ndarray
) -> None:
    """Give those of some ranked keys to sorted stacks whose fronts are not too long in all."""
    addresses = [address_of(each) for each in (times, ranked.ranks, ranked.ascending)]
    for key in keys:
        first, end = (int(offset) for offset in offsets[key : key + 2])
        if count_places(*addresses, first, end, size_us) <= MOST_PLACES * (end - first):
            kernels[key] = BY_SORTED_STACKS


def _checked(events: KeyedEvents) -> tuple[np.ndarray, ...]:
    offsets, times = (np.ascontiguousarray(array, np.int64) for array in events[:2])
    values, valid = checked_values(events.values, events.valid, len(times))
    check_offsets(offsets, len(times))
    check_times("time", "event", times)
    return offsets, times, values, valid


def _named(kernel: str, picked: np.ndarray, plan: Plan) -> int:
    """Code of a kernel by name; refused where it can't take the events or the aggregates."""
    if kernel not in KERNELS:
        raise NotServed("kernel", kernel, KERNELS)
    code = KERNELS.index(kernel)
    if code == IN_ORDER and (picked != IN_ORDER).any():
        raise BadInput(
            f"events of key {int((picked != IN_ORDER).argmax())} are out of order, which {kernel} doesn't "
            "take; take finger_tree, or leave the choice to the events"
        )
    if code in (BY_RANKS, BY_SORTED_STACKS) and not plan.layout.is_commutative:
        raise WrongParameter("kernel", kernel, "another: some of the aggregates don't commute")
    return code


def _raise_failure(answers: context.Answers, plan: Plan) -> None:
    if answers.failed != NO_FAILURE:
        spec, event = plan.specs[answers.failed], answers.failed_event
        raise AggregateFailed(spec.function, f"column {spec.column} after event {event}", find_monoid(spec)[1].failure)
