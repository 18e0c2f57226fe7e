"""What every aggregator's object does with values, names and mistakes. The kernels' own machines test the answers."""

from datetime import timedelta

import pytest

from windrow.kernels import api
from windrow.kernels.aggregators import kernels, make
from windrow.schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter
from windrow.schemas.query import agg, spanning, tumbling
from windrow.schemas.windows import ThresholdFrame

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
TOTAL = {"total": agg("sum", "v")}
INT = {"v": "int64"}
each_kernel = pytest.mark.parametrize("kernel", kernels())


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


MINUTE = timedelta(minutes=1)
CALLS, HOT = spanning(MINUTE, MINUTE), ThresholdFrame("v", 5.0)


def test_one_way_in_leads_to_every_kernel():
    trips, calls, hot = (
        api.make(kernel, TOTAL, window)
        for kernel, window in (("finger_tree", None), ("se_slicing", CALLS), ("multi_buffer", HOT))
    )
    trips.insert(1, 7.0)
    calls.insert_span(1, 2, 7.0)
    hot.insert(1, 7.0)
    answers = (trips.query(), calls.state(0, 60_000_000), hot.frames()[0].aggregates)
    assert answers == ({"total": 7.0},) * 3


@pytest.mark.parametrize(
    ("kernel", "wrong"),
    [
        *(("finger_tree", each) for each in (CALLS, HOT)),
        *(("se_slicing", each) for each in (None, 3, tumbling(MINUTE), spanning(MINUTE, MINUTE, attribution="start"))),
        *(("multi_buffer", each) for each in (None, 3)),
    ],
)
def test_a_window_that_is_missing_or_of_another_kind_is_refused(kernel, wrong):
    with pytest.raises(WrongParameter, match="^window is "):
        api.make(kernel, TOTAL, wrong)


@pytest.mark.parametrize("unknown", ["nosuch", None, ["finger_tree"], "rules"])
def test_a_kernel_that_is_none_is_refused_with_all_that_are(unknown):
    with pytest.raises(NotServed, match="(?s)daba_lite.*multi_buffer.*se_slicing"):
        api.make(unknown, TOTAL)
