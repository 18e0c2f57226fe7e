"""Every aggregate in the folder obeys the laws of a monoid and gives the plain answer."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.memory import as_float, as_word
from kernels.monoids import AggregateSpec, every_monoid, find_monoid, functions, output_type
from schemas.errors import NotServed, WrongParameter
from tests.kernels.plain import FUNCTIONS

INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
WORDS = {
    "": st.just(0),
    "int64": INT64,
    "timestamp": INT64,
    "date": st.integers(-1_000_000, 1_000_000),
    "bool": st.integers(0, 1),
    "float64": st.floats(-1e300, 1e300).map(as_word),
}
EVERY = [
    (function, monoid, column_type)
    for function, monoid in every_monoid()
    for column_type in monoid.column_types
]
each_monoid = pytest.mark.parametrize(
    ("function", "monoid", "column_type"), EVERY, ids=[f"{f}-{t or 'events'}" for f, _, t in EVERY]
)


def fold(monoid, words):
    state = monoid.identity()
    for word in words:
        state = monoid.combine(state, monoid.lift(word))
    return state


def value_of(word, kind):
    return as_float(word) if kind == "float64" else word


def near(state, other, monoid):
    """Equal answers, floats up to rounding."""
    first, second = monoid.lower(state), monoid.lower(other)
    return first[1:] == second[1:] and (first[0] == second[0] or math.isclose(
        as_float(first[0]), as_float(second[0]), rel_tol=1e-9, abs_tol=1e290))


@each_monoid
@given(data=st.data())
def test_identity_changes_nothing(function, monoid, column_type, data):
    state = fold(monoid, data.draw(st.lists(WORDS[column_type], min_size=1, max_size=5)))
    assert monoid.combine(monoid.identity(), state) == state
    assert monoid.combine(state, monoid.identity()) == state
    assert len(state) == monoid.words


@each_monoid
@given(data=st.data())
def test_how_states_are_grouped_does_not_matter(function, monoid, column_type, data):
    first, second, third = (
        fold(monoid, data.draw(st.lists(WORDS[column_type], max_size=5))) for _ in range(3)
    )
    left = monoid.combine(monoid.combine(first, second), third)
    right = monoid.combine(first, monoid.combine(second, third))
    assert near(left, right, monoid)
    if column_type != "float64":
        assert left == right


@each_monoid
@given(data=st.data())
def test_the_flag_that_says_commutative_is_true(function, monoid, column_type, data):
    first, second = (fold(monoid, data.draw(st.lists(WORDS[column_type], max_size=5))) for _ in range(2))
    if monoid.commutative:
        assert near(monoid.combine(first, second), monoid.combine(second, first), monoid)


@pytest.mark.parametrize(
    ("function", "monoid", "column_type"), [each for each in EVERY if each[0] in FUNCTIONS]
)
@given(data=st.data())
def test_a_fold_gives_the_plain_answer(function, monoid, column_type, data):
    words = data.draw(st.lists(WORDS[column_type], max_size=20))
    word, is_null, overflowed = monoid.lower(fold(monoid, words))
    wanted = FUNCTIONS[function]([value_of(word, column_type) for word in words])
    kind = monoid.output_type or column_type
    if kind == "int64" and wanted is not None and not -(1 << 63) <= wanted < 1 << 63:
        assert overflowed
    elif wanted is None:
        assert is_null
    else:
        magnitude = sum(abs(value_of(word, column_type)) for word in words) if kind == "float64" else 0
        assert not is_null and not overflowed
        assert abs(value_of(word, kind) - wanted) <= 1e-9 * magnitude


@each_monoid
def test_states_stay_within_words(function, monoid, column_type):
    """Also at the extremes: a word that grows beyond int64 would wrap in compiled code."""
    extremes = {"": [0], "float64": [as_word(1e300)], "bool": [1], "date": [1_000_000]}.get(
        column_type, [(1 << 63) - 1, -(1 << 63)]
    )
    for word in extremes:
        state = fold(monoid, [word] * 1000)
        for _ in range(20):
            state = monoid.combine(state, state)
        assert all(-(1 << 63) <= part < 1 << 63 for part in state)


def test_minus_zero_is_below_zero():
    _, minimum = find_monoid(AggregateSpec("min", 0, "float64"))
    word, _, _ = minimum.lower(fold(minimum, [as_word(0.0), as_word(-0.0)]))
    assert word == as_word(-0.0)


def test_types_of_results():
    assert output_type(AggregateSpec("count", 0, "float64")) == "int64"
    assert output_type(AggregateSpec("max", 0, "timestamp")) == "timestamp"
    assert output_type(AggregateSpec("mean", 0, "int64")) == "float64"


def test_an_unknown_aggregate_is_refused_with_what_is_there():
    with pytest.raises(NotServed, match="mean"):
        find_monoid(AggregateSpec("median", 0))
    with pytest.raises(WrongParameter, match="int64, bool, float64"):
        find_monoid(AggregateSpec("sum", 0, "timestamp"))
    with pytest.raises(WrongParameter, match="no column"):
        find_monoid(AggregateSpec("sum"))


def test_every_aggregate_has_a_plain_answer():
    """Here, or in the test file that the generator writes beside a new aggregate."""
    for function in functions():
        assert function in FUNCTIONS or (Path(__file__).parent / f"test_aggregate_{function}.py").exists()


def test_the_folder_is_the_list():
    assert set(FUNCTIONS) <= set(functions())
