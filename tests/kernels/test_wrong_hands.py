"""No public call ends the process: each gives an error of ours or the right answer, whatever types, sizes, orders,
threads, copies and damaged words it is given (tests/support/kernels/wrong_hands.py). One rule for the arrays of all
entries: the same values in another guise are taken as they are or refused, what would become others is refused."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.kernels.hands import NONE, SAME
from tests.support.kernels.marks import COMPILED
from tests.support.processes import python
from windrow.kernels.columns import checked_values, floats, integers, truths
from windrow.schemas.errors import BadInput, WrongParameter

ROOT = Path(__file__).resolve().parents[2]


def require_answers(calls: int, seed: str) -> None:
    """In a process of its own, whose end is seen."""
    ended = python("-m", "tests.support.kernels.wrong_hands", calls, seed, cwd=ROOT, timeout=None)
    assert ended.returncode == 0, ended.stderr[-4000:]


@pytest.mark.slow
@COMPILED
def test_wrong_hands_get_errors_of_ours_or_right_answers():
    require_answers(400, "each run")


@COMPILED
@pytest.mark.nightly
@pytest.mark.takes(45)
@pytest.mark.parametrize("seed", range(4))
def test_wrong_hands_all_night(seed):
    require_answers(25_000, f"night {seed}")


TIMES = np.array([3, 1, 2])
VALUES = np.array([[1.5, 2.5, 3.5]])
VALID = np.ones((1, 3), bool)
REFUSED_THOUGH_SAME = {"objects", "whole floats", "microseconds", "without a sign", "one more dimension"}


@pytest.mark.parametrize("hand", SAME)
def test_the_same_in_another_guise(hand):
    if hand in REFUSED_THOUGH_SAME:
        with pytest.raises(WrongParameter, match="times is .*; allowed: int64 in one dimension"):
            integers("times", SAME[hand](TIMES))
        return
    found = integers("times", SAME[hand](TIMES))
    assert found.tolist() == TIMES.tolist()
    assert found.dtype == np.int64 and found.flags.c_contiguous and type(found) is np.ndarray
    assert floats("values", SAME[hand](VALUES)).tolist() == VALUES.tolist()
    assert truths("valid", SAME[hand](VALID), 2).tolist() == VALID.tolist()


@pytest.mark.parametrize("hand", NONE)
def test_what_is_none_is_refused(hand):
    for refused in (
        lambda: integers("times", NONE[hand](TIMES)),
        lambda: checked_values(NONE[hand](TIMES[None]), VALID, 3),
        lambda: checked_values(TIMES[None], NONE[hand](VALID), 3),
    ):
        with pytest.raises((WrongParameter, BadInput)):
            refused()


def test_floats_are_no_words_and_what_float64_cannot_hold_is_no_float():
    with pytest.raises(WrongParameter, match="values is 'float64 of shape .*its bits, array.view"):
        checked_values(VALUES, VALID, 3)
    assert floats("values", np.array([1 << 53, -(1 << 53)])).tolist() == [[2.0**53, -(2.0**53)]]
    for beyond in (np.array([(1 << 53) + 1]), VALUES.astype(np.longdouble), np.ma.array(VALUES, mask=[[0, 1, 0]])):
        with pytest.raises(WrongParameter, match="values is"):
            floats("values", beyond)
