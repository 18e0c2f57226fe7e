"""What every aggregator's object does with values, names and mistakes. The kernels' own machines test the answers."""

import numpy as np
import pytest

from kernels.aggregators import kernels, make
from schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter
from schemas.query import agg

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
TOTAL = {"total": agg("sum", "v")}
INT = {"v": "int64"}
each_kernel = pytest.mark.parametrize("kernel", kernels())


@each_kernel
def test_an_empty_window_answers(kernel):
    window = make(kernel, {**TOTAL, "events": agg("count")}, column_types=INT)
    assert window.query() == window.range_query(0, 10) == {"total": None, "events": 0}
    assert (window.oldest(), window.youngest(), len(window)) == (None, None, 0)
    window.bulk_evict(HIGHEST)
    window.bulk_insert([], [])
    window.check()


@each_kernel
def test_times_at_both_ends_of_int64(kernel):
    window = make(kernel, TOTAL, column_types=INT)
    window.bulk_insert([LOWEST, 0, HIGHEST], [1, 10, 100])
    assert window.range_query(LOWEST, HIGHEST) == {"total": 11}
    assert (window.oldest(), window.youngest(), window.query()) == (LOWEST, HIGHEST, {"total": 111})
    window.bulk_evict(HIGHEST)
    assert len(window) == 0


@each_kernel
def test_a_sum_beyond_int64_is_an_error_only_while_it_is_one(kernel):
    window = make(kernel, {**TOTAL, "mean": agg("mean", "v")}, column_types=INT)
    window.bulk_insert([1, 2], [HIGHEST, HIGHEST])
    with pytest.raises(AggregateFailed, match="sum of column v is beyond int64"):
        window.query()
    window.insert(3, -HIGHEST)
    assert window.query() == {"total": HIGHEST, "mean": pytest.approx(HIGHEST / 3)}


@each_kernel
def test_several_columns_go_in_the_order_in_which_they_are_named(kernel):
    window = make(
        kernel,
        {"n": agg("count"), "b": agg("sum", "second"), "a": agg("sum", "first")},
        column_types={"first": "int64", "second": "int64"},
    )
    window.bulk_insert([2, 1, 1], [(1, 10), (2, None), (4, 20)])
    assert window.query() == {"n": 3, "b": 7, "a": 30}
    with pytest.raises(BadInput, match="second, first"):
        window.insert(3, 7)


@each_kernel
def test_arrays_are_taken_as_they_are(kernel):
    window = make(kernel, TOTAL, column_types=INT)
    window.bulk_insert(np.arange(1000), np.arange(1000))
    assert (window.query(), len(window)) == ({"total": 499_500}, 1000)


@each_kernel
def test_what_is_wrong_is_reported(kernel):
    window = make(kernel, TOTAL, column_types=INT)
    with pytest.raises(WrongParameter, match="time is 9223372036854775808; allowed: an integer within int64"):
        window.insert(HIGHEST + 1, 1)
    with pytest.raises(WrongParameter, match="time"):
        window.insert(0.5, 1)
    with pytest.raises(BadInput, match="NaN"):
        window.insert(1, float("nan"))
    with pytest.raises(BadInput, match="2.5 is no int64"):
        window.insert(1, 2.5)
    with pytest.raises(BadInput, match="1 values for 2 times"):
        window.bulk_insert([1, 2], [1])
    with pytest.raises(BadInput, match="nothing is at time 5 to be evicted; the window is empty"):
        window.evict(5)
    window.insert(1, 7)
    with pytest.raises(BadInput, match="nothing is at time 5 to be evicted; the window holds times from 1 to 1"):
        window.evict(5)
    assert window.query() == {"total": 7}


def test_floats_are_the_default():
    window = make("finger_tree", {"mean": agg("mean", "a"), "least": agg("min", "b")})
    window.bulk_insert([2, 1], [(1.5, 0.0), (None, -0.0)])
    answer = window.query()
    assert (answer, str(answer["least"])) == ({"mean": 1.5, "least": 0.0}, "-0.0")
    with pytest.raises(BadInput, match="9007199254740993 is no float64"):
        window.insert(3, ((1 << 53) + 1, 0))


def test_an_unknown_name_is_refused_with_what_there_is():
    with pytest.raises(NotServed, match="finger_tree"):
        make("splay", TOTAL)
    with pytest.raises(NotServed, match="mean"):
        make("finger_tree", {"x": agg("median_of_medians", "v")})
    with pytest.raises(WrongParameter, match="column_types"):
        make("finger_tree", TOTAL, max_arity=4)
    with pytest.raises(WrongParameter, match=r"agg\('sum', 'amount'\)"):
        make("finger_tree", ["sum"])
    with pytest.raises(WrongParameter, match="at least one"):
        make("finger_tree", {})
    with pytest.raises(WrongParameter, match="columns of the aggregates: v"):
        make("finger_tree", TOTAL, column_types={"w": "int64"})
    with pytest.raises(WrongParameter, match="type of column v"):
        make("finger_tree", TOTAL, column_types={"v": "string"})
    with pytest.raises(WrongParameter, match="parameters of sum"):
        make("finger_tree", {"x": agg("sum", "v", ddof=1)})
