"""The public face: checks once, picks a kernel per key, calls the compiled loop, names what went wrong."""

from typing import NamedTuple

import numpy as np

from kernels.aggregators.finger_tree.door import door
from kernels.disorder import BY_RANKS, IN_ORDER, MOST_RANKED_WORDS, judge_keys
from kernels.each import context
from kernels.each.by_sorted_stacks import MOST_PLACES, count_places
from kernels.each.loop import BY_SORTED_STACKS, answer_keys
from kernels.memory import lend
from kernels.monoids import AggregateSpec, find_monoid
from kernels.plan import COMMUTATIVE, Plan, make_plan
from kernels.ranks.sort import Ranked, rank_keys
from schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter

KERNELS = ("two_stacks_lite", "finger_tree", "rank_tree", "sorted_stacks")
FEW = 4096
"""Events of a key up to which sorting them all isn't worth its while."""
LIMIT_US = 1 << 61


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


def answer_each(events: KeyedEvents, size_us: int, aggregates: tuple[AggregateSpec, ...],
                kernel: str | None = None) -> Answers:
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
    _check_columns(plan, len(values))
    outputs = np.zeros((len(plan.outputs), len(times)), np.int64)
    null = np.zeros(outputs.shape, np.uint8)
    kernels, ranked = _chosen(kernel, times, offsets, size_us, plan)
    source = np.array([lend(values), lend(valid), values.shape[1], lend(times)], np.int64)
    words = {context.PLAN: lend(plan.block), context.STATE_BYTES: 8 * plan.state_words, context.TIMES: lend(times),
             context.SOURCE: lend(source), context.SIZE_US: size_us, context.EVENTS: len(times),
             context.OUTPUTS: lend(plan.outputs), context.OUTPUT_COUNT: len(plan.outputs),
             context.WORDS: lend(outputs), context.NULLS: lend(null), context.KERNELS: lend(kernels),
             context.DOOR: door()}
    block = np.zeros(context.CONTEXT_WORDS, np.int64)
    block[list(words)] = list(words.values())
    block[[context.RANKS, context.SORTED, context.ORDER]] = [lend(each) for each in ranked]
    answer_keys(lend(block), lend(offsets), len(kernels))
    _raise_failure(block, plan)
    return Answers(outputs, null.view(np.bool_), plan.output_types, tuple(KERNELS[each] for each in kernels))


def _chosen(kernel: str | None, times: np.ndarray, offsets: np.ndarray, size_us: int,
            plan: Plan) -> tuple[np.ndarray, Ranked]:
    """Code of each key's kernel, and the events of those that need them ranked."""
    ranks_serve = plan.block[COMMUTATIVE] == 1 and plan.state_words <= MOST_RANKED_WORDS
    kernels = np.zeros(len(offsets) - 1, np.int64)
    judge_keys(lend(times), lend(offsets), len(kernels), int(ranks_serve), lend(kernels))
    if kernel is not None:
        kernels[:] = _named(kernel, kernels, plan)
        return kernels, rank_keys(times, offsets, np.flatnonzero(kernels >= BY_RANKS))
    to_rank = np.flatnonzero((kernels != IN_ORDER) & (np.diff(offsets) > FEW) & ranks_serve)
    ranked = rank_keys(times, offsets, to_rank)
    _prefer_sorted_stacks(kernels, times, offsets, ranked, size_us, to_rank)
    return kernels, ranked


def _prefer_sorted_stacks(kernels: np.ndarray, times: np.ndarray, offsets: np.ndarray, ranked: Ranked,
                          size_us: int, keys: np.ndarray) -> None:
    """Give those of some ranked keys to sorted stacks whose fronts are not too long in all."""
    for key in keys:
        rows = slice(offsets[key], offsets[key + 1])
        events = int(offsets[key + 1] - offsets[key])
        addresses = (lend(times[rows]), events, lend(ranked.ranks[rows]), lend(ranked.ascending[rows]))
        if count_places(*addresses, size_us) <= MOST_PLACES * events:
            kernels[key] = BY_SORTED_STACKS


def _checked(events: KeyedEvents) -> tuple[np.ndarray, ...]:
    offsets, times, values = (np.ascontiguousarray(array, np.int64) for array in events[:3])
    valid = np.ascontiguousarray(events.valid, np.bool_)
    if values.ndim != 2 or values.shape != valid.shape or values.shape[1] != len(times):
        raise BadInput(f"values of shape {values.shape} with validity of shape {valid.shape}; both must be (columns, "
                       f"{len(times)})")
    if len(offsets) < 1 or offsets[0] != 0 or offsets[-1] != len(times) or (np.diff(offsets) < 0).any():
        raise BadInput(f"key_offsets must ascend from 0 to the number of events, {len(times)}")
    beyond = np.flatnonzero((times < -LIMIT_US) | (times > LIMIT_US))
    if len(beyond):
        raise BadInput(f"time of event {int(beyond[0])} is {int(times[beyond[0]])} µs; allowed: within ±2**61 µs")
    return offsets, times, values, valid


def _check_columns(plan: Plan, columns: int) -> None:
    for spec in plan.specs:
        for column in (spec.column, spec.second):
            if column is not None and not 0 <= column < columns:
                raise WrongParameter(f"column of {spec.function}", column, f"0 to {columns - 1}")


def _named(kernel: str, picked: np.ndarray, plan: Plan) -> int:
    """Code of a kernel by name; refused where it can't take the events or the aggregates."""
    if kernel not in KERNELS:
        raise NotServed("kernel", kernel, KERNELS)
    code = KERNELS.index(kernel)
    if code == IN_ORDER and (picked != IN_ORDER).any():
        raise BadInput(f"events of key {int((picked != IN_ORDER).argmax())} are out of order, which {kernel} doesn't "
                       "take; take finger_tree, or leave the choice to the events")
    if code in (BY_RANKS, BY_SORTED_STACKS) and not plan.block[COMMUTATIVE]:
        raise WrongParameter("kernel", kernel, "another: some of the aggregates don't commute")
    return code


def _raise_failure(block: np.ndarray, plan: Plan) -> None:
    failed, event = (int(word) for word in block[context.FAILED:context.FAILED_EVENT + 1])
    if failed:
        spec = plan.specs[failed - 1]
        raise AggregateFailed(spec.function, f"column {spec.column} after event {event}", find_monoid(spec)[1].failure)
