"""The entry: checks once, chooses a kernel for each key, calls the compiled loop, names what went wrong.

A key's kernel is the named one, or what its events, size and aggregates ask for.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from windrow.kernels.aggregators.finger_tree import FingerTree
from windrow.kernels.columns import (
    LIMIT_US,
    check_plan,
    checked_offsets,
    checked_times,
    checked_values,
    require_kind,
    require_whole,
)
from windrow.kernels.monoids import AggregateSpec, find_monoid
from windrow.kernels.objects.columns import Columns, name_aggregates
from windrow.kernels.per_event import by_sorted_stacks, by_tree, in_order
from windrow.kernels.per_event.by_sorted_stacks import MOST_PLACES, count_places
from windrow.kernels.per_event.context import (
    NO_FAILURE,
    AnswerColumns,
    Answering,
    PerEvent,
    allocate_states,
    release_states,
)
from windrow.kernels.ranks import Ranked, keys_in_order, rank_keys
from windrow.kernels.runtime.found import require_known
from windrow.kernels.runtime.guarded import guarded_entry
from windrow.kernels.runtime.memory import WORD_BYTES, address_of
from windrow.kernels.runtime.struct import words_at
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states.layout import Events
from windrow.kernels.states.state_plan import Plan, make_plan
from windrow.schemas.errors import AggregateFailed, BadInput, WrongParameter
from windrow.schemas.query import Aggregate

KERNELS = {"two_stacks_lite": in_order.answer, "finger_tree": by_tree.answer, "sorted_stacks": by_sorted_stacks.answer}
IN_ORDER, BY_TREE, SORTED = range(3)
NAMES = tuple(KERNELS)
TABLES = [lazy_table(Answering, f"answering_{name}", answer=answer) for name, answer in KERNELS.items()]
FEW = 4096
"""Events of a key up to which sorting them all isn't worth its while."""
MOST_SORTED_WORDS = 16
"""Words of a state up to which sorted stacks are taken, which hold one for every event of a window."""


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


def answer_each(
    keys: Sequence[Hashable],
    times: Sequence[int] | np.ndarray,
    values: Mapping[str, Sequence],
    size_us: int,
    aggregates: Mapping[str, Aggregate],
    column_types: Mapping[str, str] | None = None,
) -> dict[str, list]:
    """Answers after each event: what a stream processor without a watermark would say as each event arrives.

    keys, times, values: for each event, in order of arrival: its key, its event time in µs, and by name the columns
    that the aggregates read, None for a null. An answer covers the events of its key in (y − size_us, y], y being the
    youngest time that the key has seen by then. An older event changes nothing.
    aggregates: name → what `windrow.agg` makes; column_types: of columns that hold something else than float64.
    Returns the answers in the order of the events, by name, None for a null. Raises WrongParameter for a size, a column
    or an aggregate that doesn't fit, NotServed for an unknown function, BadInput for a value that its column can't
    hold, AggregateFailed. O(log d) an event, d being how many younger ones came before it; O(1) in order.
    """
    if not isinstance(aggregates, Mapping) or not all(isinstance(each, Aggregate) for each in aggregates.values()):
        raise WrongParameter("aggregates", aggregates, "a dict such as {'total': agg('sum', 'amount')}")
    named = name_aggregates(aggregates, column_types)
    if not isinstance(values, Mapping) or set(named.columns) - set(values):
        raise WrongParameter("values", values, f"a dict with the columns {', '.join(named.columns)}")
    times = checked_times("time", "event", times)
    if len(keys) != len(times):
        raise BadInput(f"{len(keys)} keys for {len(times)} times; give one per time")
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    number = np.array([numbers[key] for key in keys], np.int64)
    order = np.argsort(number, kind="stable")
    read = [Columns({name: kind}).source(values[name], times, order) for name, kind in named.columns.items()]
    words = np.vstack([np.zeros((0, len(times)), np.int64), *(each.values for each in read)])
    valid = np.vstack([np.zeros((0, len(times)), np.bool_), *(each.valid for each in read)])
    offsets = np.searchsorted(number[order], np.arange(len(numbers) + 1))
    found = answer_per_event(KeyedEvents(offsets, times[order], words, valid), size_us, named.specs)
    came = np.argsort(order)
    outputs = zip(found.outputs[:, came].tolist(), found.null[:, came].tolist(), found.output_types, strict=True)
    answers = [
        [None if is_null else Columns.value(word, kind) for word, is_null in zip(words, nulls, strict=True)]
        for words, nulls, kind in outputs
    ]
    return dict(zip(named.outputs, answers, strict=True))


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
    times = checked_times("time", "event", events.time_us)
    values, valid = checked_values(events.values, events.valid, len(times))
    offsets = checked_offsets(events.key_offsets, len(times))
    plan = make_plan(tuple(aggregates), counts_events=False)
    check_plan(plan.specs, len(values))
    of_key, ranked = choose(kernel, times, offsets, size_us, plan)
    keys = np.bincount(of_key, minlength=len(KERNELS))  # a kernel that no key has needn't be compiled
    tables = np.array([table().address if keys[place] else 0 for place, table in enumerate(TABLES)])
    outputs = np.zeros((len(plan.outputs), len(times)), np.int64)
    null = np.zeros(outputs.shape, np.uint8)
    written = {"slots": plan.outputs, "words": outputs, "nulls": null, "failed": NO_FAILURE}
    answers = AnswerColumns.make(events=len(times), outputs=len(outputs), **written)
    run = PerEvent.make(
        plan=plan.layout,
        state_bytes=WORD_BYTES * plan.state_words,
        size=size_us,
        times=times,
        events=Events.make(values=values, valid=valid, rows=values.shape[1], times=times),
        kernel_of_key=tables[of_key],
        tree_kernel=FingerTree.dispatch(),
        answers=answers,
        **ranked._asdict(),
    )
    answer_keys(run.address, address_of(offsets), len(of_key))
    if answers.failed != NO_FAILURE:
        spec, event = plan.specs[answers.failed], answers.failed_event
        raise AggregateFailed(spec.function, f"column {spec.column} after event {event}", find_monoid(spec)[1].failure)
    return Answers(outputs, null.view(np.bool_), plan.output_types, tuple(NAMES[place] for place in of_key))


def choose(
    kernel: str | None, times: np.ndarray, offsets: np.ndarray, size_us: int, plan: Plan
) -> tuple[np.ndarray, Ranked]:
    """(int64[keys], the place of each key's kernel in KERNELS; the events of keys that may be sorted, ranked).
    Raises NotServed, BadInput and WrongParameter for a named one that can't serve."""
    in_order = keys_in_order(times, offsets)
    if kernel is not None:
        of_key = np.full(len(in_order), _named(kernel, in_order, plan))
        return of_key, rank_keys(times, offsets, np.flatnonzero(of_key == SORTED))
    of_key = np.where(in_order, IN_ORDER, BY_TREE)
    may_sort = plan.layout.is_commutative and plan.state_words <= MOST_SORTED_WORDS
    to_rank = np.flatnonzero(~in_order & (np.diff(offsets) > FEW) & may_sort)
    ranked = rank_keys(times, offsets, to_rank)
    addresses = [address_of(each) for each in (times, ranked.ranks, ranked.ascending)]
    for key in to_rank:
        first, end = (int(offset) for offset in offsets[key : key + 2])
        if count_places(*addresses, first, end, size_us) <= MOST_PLACES * (end - first):
            of_key[key] = SORTED
    return of_key, ranked


def _named(kernel: str, in_order: np.ndarray, plan: Plan) -> int:
    """Place of a kernel by name; refused where it can't take the events or the aggregates."""
    require_known("kernel", kernel, NAMES)
    named = NAMES.index(kernel)
    if named == IN_ORDER and not in_order.all():
        raise BadInput(
            f"events of key {int(in_order.argmin())} are out of order, which {kernel} doesn't "
            "take; take finger_tree, or name no kernel"
        )
    if named == SORTED and not plan.layout.is_commutative:
        raise WrongParameter("kernel", kernel, "another: some of the aggregates don't commute")
    return named


@guarded_entry
def answer_keys(context: PerEvent, offsets, keys):
    """Answer every event of every key, by the kernel that it was given. offsets: address of words, where keys begin."""
    offsets = words_at(offsets)
    allocate_states(context)
    for key in range(keys):
        context.kernel_of_key[key].answer(context, offsets[key], offsets[key + 1])
    release_states(context)
