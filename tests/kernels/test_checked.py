"""A user's aggregate gives what exact integers give, or fails: nothing wraps."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit
from numba.core.errors import TypingError

from tests.support.checkout import copied
from tests.support.processes import python
from windrow.kernels.monoid import Monoid
from windrow.kernels.monoids import _exact_sum
from windrow.kernels.overflow import CHECKED, checked

ROOT = Path(__file__).resolve().parents[2]
SMALLEST, LARGEST = -(2**63), 2**63 - 1
EDGES = (SMALLEST, SMALLEST + 1, -(2**32), -3, -1, 0, 1, 2, 63, 64, 3_037_000_499, 3_037_000_500, 2**62, LARGEST)
WORDS = st.sampled_from(EDGES) | st.integers(SMALLEST, LARGEST) | st.integers(-100, 100)
FAILED = (0, False, True)
pytestmark = pytest.mark.slow  # compiles each operator


def in_place(older, newer):
    total = older[0]
    total += newer[0]
    total *= 2
    return (total,)


def power(older, newer):
    return (older[0] ** (newer[0] & 63),)


def shifted(older, newer):
    return (older[0] << (newer[0] & 63),)


COMBINES = {
    "sum": lambda older, newer: (older[0] + newer[0],),
    "difference": lambda older, newer: (older[0] - newer[0],),
    "product": lambda older, newer: (older[0] * newer[0],),
    "quotient": lambda older, newer: (older[0] // newer[0],),
    "remainder": lambda older, newer: (older[0] % newer[0],),
    "in_place": in_place,
    "power": power,
    "shifted": shifted,
    "negative": lambda older, newer: (-older[0],),
    "magnitude": lambda older, newer: (abs(newer[0]),),
    "of_a_bool": lambda older, newer: ((older[0] > newer[0]) + older[0],),
    "constants": lambda older, newer: (3 * older[0] + 1,),
    "polynomial": lambda older, newer: (older[0] * older[0] - newer[0],),
    "of_a_float": lambda older, newer: (int(float(older[0])),),
    "greatest": lambda older, newer: (max(older[0], newer[0]),),
}


def identity():
    return (0,)


def lift(word):
    return (word,)


def lower(state):
    return (state[0], False, False)


def answer_of(name, combine):
    """The answer of two combined words, compiled as kernels compile it."""
    made = checked(f"tested_{name}", Monoid(("int64",), 1, identity, lift, combine, lower, "int64"))
    lift_word, combine_both, answer = map(njit, (made.lift, made.combine, made.lower))
    return lambda a, b: answer(combine_both(lift_word(a), lift_word(b)))


def exact(combine, a, b):
    try:
        (word,) = combine((a,), (b,))
    except ZeroDivisionError:
        return FAILED
    return (word, False, False) if SMALLEST <= word <= LARGEST else FAILED


@pytest.mark.parametrize("name", COMBINES)
def test_what_is_written_with_an_operator_is_exact_or_fails(name):
    answer = answer_of(name, COMBINES[name])

    @settings(deadline=None, max_examples=300)
    @given(WORDS, WORDS)
    @example(SMALLEST, -1)
    @example(LARGEST, LARGEST)
    @example(5, 0)
    def holds(a, b):
        got, wanted = answer(a, b), exact(COMBINES[name], a, b)
        # A number on the way may be beyond int64 where the answer is not.
        assert got == wanted or (name == "polynomial" and got == FAILED and abs(a) > 3_037_000_499)

    holds()


def test_every_operator_that_is_replaced_is_tried():
    assert len(CHECKED) == 10


def test_floats_are_as_they_are_but_division_by_zero_fails():
    def mean_of_both(older, newer):
        return (int((older[0] / newer[0]) * 2.0 - 0.5),)

    answer = answer_of("floats", mean_of_both)
    assert answer(7, 2) == (6, False, False)
    assert answer(7, 0) == FAILED


def test_a_failed_state_stays_one_whatever_is_combined_with_it():
    made = checked("tested_failing", Monoid(("int64",), 1, identity, lift, COMBINES["sum"], lower, "int64"))
    combine, answer = njit(made.combine), njit(made.lower)
    failed = combine(made.lift(LARGEST), made.lift(1))
    for state in (combine(failed, made.lift(-5)), combine(made.lift(-5), failed), combine(failed, made.identity())):
        assert answer(state) == FAILED


def test_an_inverse_is_watched_too():
    inverse = COMBINES["difference"]
    monoid = Monoid(("int64",), 1, identity, lift, COMBINES["sum"], lower, "int64", inverse=inverse)
    made = checked("tested_inverse", monoid)
    take_away, answer = njit(made.inverse), njit(made.lower)
    assert answer(take_away(made.lift(7), made.lift(5))) == (2, False, False)
    assert answer(take_away(made.lift(LARGEST), made.lift(-1))) == FAILED


def test_functions_of_the_folder_that_are_called_are_watched_too():
    combine_sums = _exact_sum.combine

    def lift_sum(word):
        return (word, 0, 1)

    def lower_sum(state):
        return (state[0], False, False)

    monoid = Monoid(("int64",), 3, _exact_sum.identity, lift_sum, lambda a, b: combine_sums(a, b), lower_sum, "int64")
    made = checked("tested_helper", monoid)
    combine, answer = njit(made.combine), njit(made.lower)
    assert answer(combine(made.lift(2), made.lift(3))) == (5, False, False)
    assert answer(combine(made.lift(LARGEST), made.lift(3))) == FAILED


def test_unsigned_integers_which_wrap_elsewhere_are_refused():
    def unsigned(older, newer):
        return (np.uint64(older[0]) + np.uint64(newer[0]),)

    with pytest.raises(TypingError, match="signed, of at most 64 bits"):
        answer_of("unsigned", unsigned)(1, 2)


@pytest.mark.nightly
def test_what_numba_can_not_compile_is_a_broken_definition_of_its_file(tmp_path):
    """In a copy, whose file of `range` has a set in a state: right in plain Python."""
    copied(tmp_path, "kernels")
    file = tmp_path / "kernels/monoids/range.py"
    file.write_text(
        file.read_text().replace("return (word, word)", "return tuple(sorted({str(word)}) and (word, word))")
    )
    asked = "from windrow.kernels.states.tables import monoid_table; monoid_table('range', 'range_int64')"
    settings = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "WINDROW_NUMBA": str(tmp_path)}
    done = python("-c", asked, cwd=tmp_path, env=settings)
    line = file.read_text().partition("str(word)")[0].count("\n") + 1
    refused = f"BrokenDefinition: {file}:{line}: Numba can't compile it: Cannot unify"
    assert refused in done.stderr, done.stderr
