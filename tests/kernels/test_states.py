"""Every aggregate at once in one plan, through the compiled operations on states: the plain answer, however the events
are cut. Sketches within their bounds."""

import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.aggregators._columns import Source
from kernels.monoid import SHARE
from kernels.monoids import AggregateSpec, Sketch, every_monoid, find_monoid
from kernels.monoids._compactors import Compactors
from kernels.runtime.memory import address_of, entry, inner
from kernels.states import clear, fold, gather, join, lift_each, lower, merge, subtract, suffixes
from kernels.states.layout import StatePlan
from kernels.states.plan import make_plan
from tests.kernels.test_compilation import run_as_plain_python
from tests.support.kernels.plain import FUNCTIONS
from tests.support.kernels.words import WORDS, agree, kind_of, plain_answer, read_answer, rows_of

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


@inner
def plan_words(plan):
    return StatePlan(plan).state_words


@entry
def cut_and_fold(plan, states, cuts, pieces, source):
    """The pieces as states side by side, then their fold in front of them."""
    words = 8 * plan_words(plan)
    for piece in range(pieces):
        gather(plan, states + words * (piece + 1), source, cuts[piece], cuts[piece + 1])
    clear(plan, states)
    fold(plan, states, states + words, words, pieces)


@entry
def one_by_one(plan, states, source, rows):
    """Each event a state, then suffixes in place; the first is all of them."""
    words = 8 * plan_words(plan)
    lift_each(plan, states, words, source, 0, rows)
    suffixes(plan, states, words, states, words, rows)


@entry
def merge_both(plan, into, older, newer):
    merge(plan, into, older, newer)


@entry
def join_both(plan, into, older, newer):
    join(plan, into, older, newer)


@entry
def take_away(plan, total, oldest):
    subtract(plan, total, oldest)


@entry
def lower_one(plan, state, slot):
    return lower(plan, state, slot)


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


quickly = settings(max_examples=max(15, settings().max_examples // 6))


@pytest.mark.nightly
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


@pytest.mark.slow
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


@pytest.mark.nightly
def test_the_operations_run_as_plain_python_with_every_access_checked():
    run_as_plain_python(__file__, "cut or sketch or joined")


# --- sketches, over many values

MANY = 300 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 20_000
ORDERS = {
    "random": lambda count: np.random.default_rng(1).permutation(count),
    "ascending": np.arange,
    "descending": lambda count: np.arange(count)[::-1],
    "in a tree": lambda count: np.random.default_rng(2).permutation(count),
}


def sketched(spec, words, pieces):
    """The states of some pieces, merged in pairs until one is left; its answer."""
    events = np.zeros((2 * len(KINDS), len(words)), np.int64)
    events[spec.column] = words
    source = Source(events, np.ones(events.shape, np.bool_), np.zeros(len(words), np.int64))
    plan = make_plan((spec,), counts_events=False)
    states = np.zeros((pieces + 1, plan.state_words), np.int64)
    cuts = np.linspace(0, len(words), pieces + 1).astype(np.int64)
    cut_and_fold(plan.address, address_of(states), cuts, pieces, source.address)
    return lower_one(plan.address, address_of(states), 0), states


@pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("order", ORDERS)
def test_the_sketch_of_quantiles_keeps_its_rank_error(order, q):
    words = ORDERS[order](MANY)
    spec = AggregateSpec("approx_quantile", 0, parameters=(("k", 64), ("q", q)))
    (word, is_null, failed), _ = sketched(spec, words, 64 if order == "in a tree" else 1)
    assert not is_null and not failed
    assert abs(word + 1 - q * MANY) <= max(1, 2.3 / 64**0.97 * MANY)


def test_the_sketch_of_quantiles_is_exact_while_it_has_room_and_gives_the_same_bits():
    words = np.random.default_rng(3).integers(-1000, 1000, 3 * 128)
    spec = AggregateSpec("approx_quantile", 0, parameters=(("q", 0.25),))
    (word, _, _), _ = sketched(spec, words, 3)
    assert word == sorted(words)[math.ceil(0.25 * len(words)) - 1]
    many = np.random.default_rng(4).integers(0, 1 << 60, MANY)
    (first, one), (again, other) = (sketched(spec, many, 2) for _ in range(2))
    assert first == again and (one == other).all()


def weighed(state):
    """The values that a sketch holds, each as often as it counts."""
    sketch, values, end = Compactors(address_of(state)), [], 0
    for level in range(sketch.levels - 1, -1, -1):
        begin, end = end, end + sketch.sizes[level]
        values += [sketch.values[place] for place in range(begin, end) for _ in range(1 << level)]
    assert len(values) == sketch.counted
    return values


@pytest.mark.parametrize("different", [3, 1 << 60], ids=["few values", "many values"])
@pytest.mark.parametrize("sizes", [(0, 0), (0, 9), (1, 1), (500, 3), (5000, 7000)], ids=str)
def test_the_rank_of_two_joined_sketches_is_that_of_all_their_values(sizes, different):
    words = np.random.default_rng(5).integers(0, different, sum(sizes))
    for q in (0.0, 0.2, 0.5, 0.999, 1.0):
        spec = AggregateSpec("approx_quantile", 0, parameters=(("q", q),))
        both = [sketched(spec, part, 1)[1][0] for part in (words[: sizes[0]], words[sizes[0] :])]
        plan, joined = make_plan((spec,), counts_events=False), np.zeros_like(both[0])
        join_both(plan.address, address_of(joined), address_of(both[0]), address_of(both[1]))
        word, is_null, failed = lower_one(plan.address, address_of(joined), 0)
        values = sorted(weighed(both[0]) + weighed(both[1]))
        assert (is_null, failed) == (not values, False)
        assert is_null or word == values[max(math.ceil(q * len(values)), 1) - 1]


@pytest.mark.parametrize("precision", [4, 10, 14])
@pytest.mark.parametrize("different", [1, 10, 100, 1000, 5000])
def test_the_sketch_of_different_values_keeps_its_standard_error(different, precision):
    different = min(different, MANY)
    words = np.tile(np.arange(different) * 7919, 2)
    spec = AggregateSpec("approx_distinct", 0, parameters=(("precision", precision),))
    (word, _, _), _ = sketched(spec, words, 3)
    assert abs(word - different) <= max(1, 3 * 1.04 / math.sqrt(1 << precision) * different)


def test_the_sketch_of_a_set_forgets_nothing_and_seldom_invents():
    words = np.arange(100) * 1_000_003

    def holds(contains):
        spec = AggregateSpec("bloom", 0, parameters=(("contains", int(contains)),))
        return sketched(spec, words, 4)[0][0]

    assert all(holds(word) for word in words[::9])
    assert sum(holds(word + 1) for word in words) <= 5


def test_sketches_are_of_some_words_for_any_parameters():
    for _, monoid in every_monoid():
        if isinstance(monoid, Sketch):
            least = monoid.words(tuple(each.least for each in monoid.parameters))
            assert 0 < least <= monoid.words(tuple(each.most for each in monoid.parameters))
