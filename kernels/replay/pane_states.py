"""States of panes: made from events, to be kept, and given to a later replay instead of them (numbered/kept.py).

key    pane    state
a      10:00   2 events, sum 7      ─▶  a replay of which these events come first
a      10:10   1 event,  sum 4
"""

from collections.abc import Sequence

import numpy as np

from windrow.kernels.bounds import KernelWindow, each_of
from windrow.kernels.columns import checked_offsets, checked_times
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.objects.saved import description
from windrow.kernels.replay.types import AggregatePlan, EventColumns, PaneStates, ReplayRules
from windrow.kernels.replay.window_kind import WindowKind
from windrow.kernels.runtime.cache import AGGREGATES, syntax_digest_of
from windrow.kernels.runtime.guarded import guarded_entry
from windrow.kernels.runtime.memory import WORD_BYTES, address_of
from windrow.kernels.runtime.struct import words_at
from windrow.kernels.states import gather, lower_each
from windrow.kernels.states.layout import Events, StatePlan
from windrow.kernels.states.state_plan import Plan, make_plan
from windrow.schemas.errors import BadInput, WrongParameter
from windrow.schemas.windows import Window

LAYOUT = 1
"""Raise it when what is kept of a pane is laid out anew."""


def describe_panes(window: Window, specs: Sequence[AggregateSpec]) -> int:
    """A word for what states of panes are of: other windows or aggregates, or one whose code is another, have
    another."""
    sources = [syntax_digest_of(AGGREGATES, function) for function in sorted({spec.function for spec in specs})]
    return description("panes", LAYOUT, window, tuple(specs), sources)


def pane_starts(window: KernelWindow, times_us: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the pane of each time starts, and whether any window holds it. O(times)."""
    first, last = (each_of(window, bound, times_us) for bound in ("first_end_after", "last_start_until"))
    return np.maximum(each_of(window, "start", last), each_of(window, "end", first - 1)), first <= last


@guarded_entry
def gather_groups(plan: StatePlan, events: Events, firsts, groups, states):
    firsts, state_bytes = words_at(firsts), WORD_BYTES * plan.state_words
    for group in range(groups):
        gather(plan, states + group * state_bytes, events, firsts[group], firsts[group + 1])


@guarded_entry
def lower_slot(plan: StatePlan, slot, states, count, words, nulls):
    return lower_each(plan, slot, states, count, words, nulls)


def states_of_groups(columns: EventColumns, plan: AggregatePlan) -> np.ndarray:
    """int64[groups, words]: the state of each group of events that stand together (`key_offsets`), the count of events
    in front. O(events)."""
    made, groups = make_plan(plan.aggregates), len(columns.key_offsets) - 1
    states = np.zeros((groups, made.state_words), np.int64)
    times = np.ascontiguousarray(columns.start_us)
    values, valid = np.ascontiguousarray(columns.values), np.ascontiguousarray(columns.valid)
    events = Events.make(values=values, valid=valid, rows=len(times), times=times)
    firsts = np.ascontiguousarray(columns.key_offsets, np.int64)
    gather_groups(made.address, events.address, address_of(firsts), groups, address_of(states))
    return states


def answers_of(states: np.ndarray, plan: AggregatePlan) -> tuple[np.ndarray, np.ndarray] | None:
    """int64 words and bool nulls[aggregates, states]: what each state says; None where one has no right answer."""
    made, states = make_plan(plan.aggregates), np.ascontiguousarray(states)
    words = np.zeros((len(made.outputs), len(states)), np.int64)
    nulls = np.zeros(words.shape, np.int8)
    for place, slot in enumerate(made.outputs.tolist()):
        at = address_of(states), len(states), address_of(words[place]), address_of(nulls[place])
        if lower_slot(made.address, slot, *at) >= 0:
            return None
    return words, nulls == 1


def checked_panes(rules: ReplayRules, columns: EventColumns, kind: WindowKind, states: Plan) -> ReplayRules:
    """With panes that are contiguous and of the right types. WrongParameter where rows can't be made from panes,
    BadInput for states of another length or of other keys, and for an event that should be in a pane."""
    panes, is_commutative = rules.panes, states.layout.is_commutative
    if panes is None:
        return rules
    if not (kind.holds_panes and is_commutative and rules.emit != "arrival"):
        allowed = "None but for points in tumbling or sliding windows, aggregates that commute, emit final or watermark"
        raise WrongParameter("panes", f"{len(panes.starts_us)} panes", allowed)
    starts_us = checked_times("start", "pane", panes.starts_us)
    words, count, keys = np.ascontiguousarray(panes.states, np.int64), len(starts_us), len(columns.key_offsets) - 1
    offsets = checked_offsets(panes.first_of_key, count)
    if (count and words.shape != (count, states.state_words)) or len(offsets) - 1 != keys:
        wanted = f"{states.state_words} words of each of {count} panes of {keys} keys"
        raise BadInput(f"the states of panes are {words.shape} words of {len(offsets) - 1} keys; expected {wanted}")
    if len(columns.arrival_us) and int(columns.arrival_us.min()) < panes.from_us:
        raise BadInput(f"an event arrives before {panes.from_us} µs, until when events are in panes")
    return rules._replace(panes=PaneStates(offsets, starts_us, words, panes.from_us))
