"""Every aggregate in the folder obeys the laws of a monoid and gives the plain answer. Sketches, which live in memory:
test_sketches.py. All of them compiled: test_states.py."""

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.kernels.plain import FUNCTIONS
from tests.support.kernels.words import (
    FAILED,
    LARGEST,
    SMALLEST,
    WORDS,
    agree,
    kind_of,
    plain_answer,
    read_answer,
    rows_of,
)
from windrow.kernels.monoid import OrderStatistic
from windrow.kernels.monoids import AggregateSpec, Monoid, describe, every_monoid, find_monoid, functions
from windrow.kernels.runtime.memory import as_word
from windrow.schemas.errors import NotServed, WrongParameter

EVERY = [(function, monoid) for function, monoid in every_monoid() if isinstance(monoid, Monoid)]
NAMES = [
    "-".join((function, monoid.column_types[0] or "events", *monoid.second_types[:1])) for function, monoid in EVERY
]
each_monoid = pytest.mark.parametrize(("function", "monoid"), EVERY, ids=NAMES)
quickly = settings(max_examples=max(min(20, settings().max_examples), settings().max_examples // 8))


def test_no_parameter_allows_an_integer_that_no_word_holds():
    for function, monoid in every_monoid():
        for each in monoid.parameters:
            limits = [each.least, each.default, each.most]
            assert isinstance(each.default, float) or SMALLEST <= min(limits) <= max(limits) <= LARGEST, function


@st.composite
def pieces(draw, monoid, most=3):
    """Column types, and so many lists of lift's arguments, in order of time over all."""
    kind = draw(st.sampled_from([each for each in monoid.column_types if each] or [""]))
    second = draw(st.sampled_from(monoid.second_types or ("",)))
    events = st.tuples(st.integers(0, 3), WORDS[kind], WORDS[second])
    found, now = [], draw(st.sampled_from([0, SMALLEST, LARGEST - 100]))
    for _ in range(most):
        piece = []
        for step, word, other in draw(st.lists(events, max_size=6)):
            now += step
            piece.append((now, word, other))
        found.append(piece)
    return kind, second, found


def fold(monoid, events):
    state = monoid.identity()
    for time, word, second in events:
        arguments = [time] * monoid.takes_time + [word] + [True] * monoid.takes_nulls
        arguments += [second] * bool(monoid.second_types) + defaults(monoid) * monoid.lift_takes_parameters
        state = monoid.combine(state, monoid.lift(*arguments))
    return state


def answer(function, monoid, state, kinds):
    """What a state comes to, with the parameters' defaults."""
    return read_answer(monoid.lower(state, *defaults(monoid)), kind_of(monoid, *kinds))


def defaults(monoid):
    return [as_word(each.default) if isinstance(each.default, float) else each.default for each in monoid.parameters]


def same(function, monoid, state, other, drawn):
    kind, second, found = drawn
    rows = rows_of([event for piece in found for event in piece], kind, second)
    return agree(
        function, answer(function, monoid, state, (kind, second)), answer(function, monoid, other, (kind, second)), rows
    )


@each_monoid
@quickly
@given(data=st.data())
def test_it_is_a_monoid_commutative_if_it_says_so_and_its_inverse_is_exact(function, monoid, data):
    drawn = data.draw(pieces(monoid))
    first, second, third = (fold(monoid, events) for events in drawn[2])
    assert monoid.combine(monoid.identity(), first) == monoid.combine(first, monoid.identity()) == first
    assert len(first) == monoid.words
    both = monoid.combine(first, second)
    left, right = monoid.combine(both, third), monoid.combine(first, monoid.combine(second, third))
    assert same(function, monoid, left, right, drawn)
    assert left == right or kind_of(monoid, *drawn[:2]) == "float64"
    if monoid.commutative:
        assert same(function, monoid, both, monoid.combine(second, first), drawn)
    if monoid.inverse:
        assert monoid.inverse(both, first) == second


@pytest.mark.parametrize(("function", "monoid"), [each for each in EVERY if each[0] in FUNCTIONS])
@quickly
@given(data=st.data())
def test_a_fold_gives_the_plain_answer(function, monoid, data):
    kind, second, found = data.draw(pieces(monoid))
    events = [event for piece in found for event in piece]
    rows = rows_of(events, kind, second)
    got = answer(function, monoid, fold(monoid, events), (kind, second))
    wanted = plain_answer(function, rows, kind_of(monoid, kind, second))
    assert agree(function, got, wanted, rows), f"{got} instead of {wanted}"


@each_monoid
@pytest.mark.parametrize("time", [SMALLEST, LARGEST])
def test_states_stay_within_words(function, monoid, time):
    """Also at the extremes: a word that grows beyond int64 would wrap in compiled code."""
    extremes = {"float64": [as_word(1e300), as_word(-5e-324)]}.get(monoid.column_types[0], [LARGEST, SMALLEST])
    for word in extremes:
        state = fold(monoid, [(time, word, word)] * 1000)
        for _ in range(20):
            state = monoid.combine(state, state)
            assert all(SMALLEST <= part <= LARGEST for part in state)
        word, _, _ = monoid.lower(state, *[1] * len(monoid.parameters))
        assert SMALLEST <= word <= LARGEST


def lowered(function, kind, values, **parameters):
    """The answer over some values at times 0, 1, …"""
    monoid = find_monoid(AggregateSpec(function, 0, kind, parameters=tuple(parameters.items())))[1]
    words = [as_word(value) if kind == "float64" else value for value in values]
    state = fold(monoid, [(time, word, 0) for time, word in enumerate(words)])
    return read_answer(monoid.lower(state, *parameters.values()), kind_of(monoid, kind, ""))


def test_minus_zero_equals_zero_where_values_are_compared():
    assert lowered("min_count", "float64", [0.0, -0.0, 1.0]) == 2
    assert lowered("argmin", "float64", [0.0, -0.0]) == lowered("argmax", "float64", [-0.0, 0.0]) == 0
    assert lowered("longest_run", "float64", [-0.0, 0.0]) == 1
    assert lowered("any", "float64", [-0.0]) is False


@pytest.mark.parametrize("values", [[2**62, 2, -1], [-1, 2**62, 2], [2, -1, 2**62], [-(2**63)]])
def test_a_product_of_minus_two_to_the_63_is_an_int64(values):
    assert lowered("product", "int64", values) == -(2**63)
    assert lowered("product", "int64", [*values, -1]) is FAILED
    assert lowered("product", "int64", [*values, -1, 0]) == 0


def test_a_product_of_floats_may_leave_their_range_on_the_way():
    assert lowered("product", "float64", [1e300, 1e300, 1e-300, 1e-300, 3.0]) == pytest.approx(3.0)
    assert lowered("product", "float64", [1e300, 1e300]) == math.inf
    assert lowered("product", "float64", [5e-324, 5e-324]) == 0.0


def test_the_variance_of_values_far_from_zero_is_not_lost():
    assert lowered("variance", "float64", [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16], ddof=1) == 30.0
    assert lowered("std", "int64", [3, 3, 3], ddof=0) == 0.0
    assert lowered("variance", "int64", [3], ddof=1) is None


@pytest.mark.parametrize(
    ("function", "values"),
    [
        ("sum", [math.inf, -math.inf]),
        ("mean", [math.inf, -math.inf]),
        ("product", [math.inf, 0.0]),
        ("range", [math.inf]),
        ("variance", [1e200, -1e200]),
        ("std", [math.inf, 1.0]),
        ("geometric_mean", [1.0, -2.0]),
        ("rate", [math.inf, 1.0, math.inf]),
    ],
)
def test_what_has_no_answer_fails_instead_of_being_nan(function, values):
    parameters = {"ddof": 1} if function in ("variance", "std") else {}
    assert lowered(function, "float64", values, **parameters) is FAILED


def test_an_infinite_sum_is_infinite_whatever_else_went_in():
    """Of finite values: test_exact_sums.py."""
    for sign, values in itertools.product((1, -1), itertools.permutations([math.inf, 1e308, 1e308])):
        signed = [sign * value for value in values]
        assert lowered("sum", "float64", signed) == lowered("mean", "float64", signed) == sign * math.inf


def test_a_rate_of_large_counters_is_exact():
    assert lowered("rate", "int64", [2**62, 2**62 + 1]) == 1e6
    assert lowered("rate", "int64", [-(2**63), 2**63 - 1]) == pytest.approx(2.0**64 * 1e6)


def test_what_is_wrong_is_refused_with_what_is_allowed():
    with pytest.raises(NotServed, match="mean"):
        find_monoid(AggregateSpec("midpoint", 0))
    with pytest.raises(WrongParameter, match="int64, bool, float64"):
        find_monoid(AggregateSpec("sum", 0, "timestamp"))
    with pytest.raises(WrongParameter, match="no column"):
        find_monoid(AggregateSpec("sum"))
    with pytest.raises(WrongParameter, match="ddof of std is 2; allowed: an integer from 0 to 1"):
        find_monoid(AggregateSpec("std", 0, parameters=(("ddof", 2),)))
    with pytest.raises(WrongParameter, match="bits of bloom is 100; allowed: a multiple of 64"):
        find_monoid(AggregateSpec("bloom", 0, parameters=(("bits", 100),)))
    with pytest.raises(WrongParameter, match="second column of sum is 'int64'; allowed: none"):
        find_monoid(AggregateSpec("sum", 0, "int64", 1, "int64"))


def test_every_aggregate_has_a_plain_answer():
    """Here, or in the test file that the generator writes for a new aggregate; one without states has the oracle's, in
    tests/semantics/test_order_statistics.py."""
    for function in {each for each, monoid in every_monoid() if not isinstance(monoid, OrderStatistic)}:
        assert function in FUNCTIONS or (Path(__file__).parent / f"test_aggregate_{function}.py").exists()


def test_the_folder_is_the_list():
    assert set(FUNCTIONS) <= set(functions())


@pytest.mark.parametrize("function", functions())
def test_every_aggregate_says_what_it_is_and_when_it_is_null(function):
    """The docs' table is made of this."""
    description = describe(function)
    assert description.startswith(f"{function}: ")
    assert "Null " in description or "Never null" in description
