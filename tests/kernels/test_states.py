"""Every aggregate at once in one plan, through the compiled operations on states: the plain answer, however the events
are cut. All of them are compiled for that: nightly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.kernels.plain import FUNCTIONS
from tests.support.kernels.words import WORDS, agree, kind_of, plain_answer, read_answer, rows_of
from windrow.kernels.monoid import SHARE
from windrow.kernels.monoids import AggregateSpec, every_monoid, find_monoid
from windrow.kernels.objects.columns import Source
from windrow.kernels.runtime.memory import address_of, entry
from windrow.kernels.states import clear, fold, gather, join, lift_each, lower, merge, subtract, suffixes
from windrow.kernels.states.layout import StatePlan
from windrow.kernels.states.state_plan import make_plan

KINDS = ("int64", "float64", "timestamp", "date", "bool", "string")  # two columns of each
COLUMNS = (*KINDS, *KINDS, SHARE)


def _every_spec() -> list[AggregateSpec]:
    """Every aggregate over every type, and with every second type."""
    return [
        AggregateSpec(
            function,
            *((KINDS.index(kind), kind) if kind else (None, "int64")),
            *((COLUMNS.index(second, len(KINDS)), second) if second else ()),
        )
        for function, monoid in every_monoid()
        if function in FUNCTIONS
        for kind in monoid.column_types
        for second in monoid.second_types or ("",)
    ]


SPECS = _every_spec()


@entry
def cut_and_fold(plan, states, cuts, pieces, source):
    """The pieces as states side by side, then their fold in front of them."""
    plan = StatePlan(plan)
    words = 8 * plan.state_words
    for piece in range(pieces):
        gather(plan, states + words * (piece + 1), source, cuts[piece], cuts[piece + 1])
    clear(plan, states)
    fold(plan, states, states + words, words, pieces)


@entry
def one_by_one(plan, states, source, rows):
    """Each event a state, then suffixes in place; the first is all of them."""
    plan = StatePlan(plan)
    words = 8 * plan.state_words
    lift_each(plan, states, words, source, 0, rows)
    suffixes(plan, states, words, states, words, rows)


@entry
def merge_both(plan, into, older, newer):
    merge(StatePlan(plan), into, older, newer)


@entry
def join_both(plan, into, older, newer):
    join(StatePlan(plan), into, older, newer)


@entry
def take_away(plan, total, oldest):
    subtract(StatePlan(plan), total, oldest)


@entry
def lower_one(plan, state, slot):
    return lower(StatePlan(plan), state, slot)


class States:
    """Some states of a plan over some events: (time, word per column, whether it is there)."""

    def __init__(self, specs, events, room):
        self.plan, self.events = make_plan(tuple(specs), counts_events=False), events
        values = np.array([words for _, words, _ in events], np.int64).reshape(len(events), len(COLUMNS))
        valid = np.array([there for _, _, there in events], np.bool_).reshape(len(events), len(COLUMNS))
        times = np.array([time for time, _, _ in events], np.int64)
        self.source = Source(np.ascontiguousarray(values.T), np.ascontiguousarray(valid.T), times)
        self.block = self.plan.address
        self.words = np.zeros((room, self.plan.state_words), np.int64)

    def at(self, place):
        return address_of(self.words) + 8 * self.plan.state_words * place

    def check(self, place, first=0, end=None):
        """The state at a place is that of the events [first, end)."""
        for spec, slot in zip(self.plan.specs, self.plan.outputs, strict=True):
            monoid = find_monoid(spec)[1]
            rows = self._rows(spec, self.events[first:end])
            kind = kind_of(monoid, spec.column_type, spec.second_type)
            got = read_answer(lower_one(self.block, self.at(place), slot), kind)
            wanted = plain_answer(spec.function, rows, kind, spec.parameters)
            near = spec.function == "approx_distinct" and abs(got - wanted) <= 1 + wanted // 10
            assert near or agree(spec.function, got, wanted, rows), f"{spec}: {got} instead of {wanted}"

    def _rows(self, spec, events):
        if spec.column is None:
            share = () if spec.second is None else (spec.second,)
            rows = [(time, 0, *(words[column] for column in share)) for time, words, _ in events]
            return rows_of([(*row, 0)[:3] for row in rows], "", spec.second_type)
        columns = [spec.column] if spec.second is None else [spec.column, spec.second]
        found = [
            (time, words[spec.column], words[columns[-1]])
            for time, words, there in events
            if all(there[column] for column in columns)
        ]
        return rows_of(found, spec.column_type, spec.second_type)


def _columns(draw_one):
    return st.tuples(*[draw_one(kind) for kind in COLUMNS])


EVENT = st.tuples(st.integers(0, 3), _columns(WORDS.get), _columns(lambda kind: st.sampled_from([True, True, False])))


@st.composite
def histories(draw):
    """Events in order of time, and where they are cut."""
    events, now = [], 0
    for step, words, there in draw(st.lists(EVENT, max_size=12)):
        now += step
        events.append((now, words, there))
    cuts = sorted(draw(st.lists(st.integers(0, len(events)), min_size=3, max_size=3)))
    return events, [0, *cuts, len(events)]


pytestmark = [pytest.mark.nightly, pytest.mark.takes(28)]
quickly = settings(max_examples=max(15, settings().max_examples // 6))


@quickly
@given(histories())
def test_however_events_are_cut_it_is_the_plain_answer(history):
    events, cuts = history
    states = States(SPECS, events, len(cuts))
    cut_and_fold(states.block, states.at(0), np.array(cuts), len(cuts) - 1, states.source.address)
    states.check(0)
    for piece, (first, end) in enumerate(zip(cuts, cuts[1:], strict=False), 1):
        states.check(piece, first, end)
    merge_both(states.block, states.at(2), states.at(1), states.at(2))
    states.check(2, 0, cuts[2])
    merge_both(states.block, states.at(3), states.at(3), states.at(4))
    states.check(3, cuts[2])
    merge_both(states.block, states.at(0), states.at(2), states.at(3))
    states.check(0)


@quickly
@given(histories())
def test_what_is_joined_is_the_plain_answer_of_both(history):
    events, cuts = history
    states = States(SPECS, events, len(cuts) + 1)
    cut_and_fold(states.block, states.at(0), np.array(cuts), len(cuts) - 1, states.source.address)
    join_both(states.block, states.at(5), states.at(1), states.at(2))
    states.check(5, 0, cuts[2])
    states.check(1, 0, cuts[1])
    states.check(2, cuts[1], cuts[2])


@quickly
@given(histories())
def test_suffixes_of_single_events_are_the_plain_answers(history):
    events, _ = history
    states = States(SPECS, events, max(len(events), 1))
    one_by_one(states.block, states.at(0), states.source.address, len(events))
    for place in range(len(events)):
        states.check(place, place)


@quickly
@given(histories())
def test_what_was_taken_away_was_never_there(history):
    events, cuts = history
    states = States([spec for spec in SPECS if find_monoid(spec)[1].inverse], events, len(cuts))
    cut_and_fold(states.block, states.at(0), np.array(cuts), len(cuts) - 1, states.source.address)
    take_away(states.block, states.at(0), states.at(1))
    states.check(0, cuts[1])
