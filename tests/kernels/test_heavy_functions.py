"""Heavy functions over a window's content, alongside SciPy, NumPy and plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import config

from tests.support.kernels.contents import (
    any_window,
    are_null,
    made_up_series,
    plain_area,
    plain_autoregression,
    plain_skyline,
)
from tests.support.kernels.contents import compute_columns as of
from windrow.kernels.farm.content import INTERRUPTED, OVER_TIME, WindowContent
from windrow.kernels.farm.functions import function, functions
from windrow.kernels.farm.functions._sorting import sort_records
from windrow.kernels.farm.once import compute_once
from windrow.kernels.runtime.memory import entry
from windrow.schemas.errors import WrongParameter
from windrow.testing.contents import compute_in_stretches

quickly = settings(max_examples=max(1, settings().max_examples // (10 if config.DISABLE_JIT else 1)))
FLOATS = st.integers(-3, 3).map(float) | st.floats(-1e300, 1e300)
INFINITY, GREATEST = math.inf, 1.7e308


@entry
def sort(content, count, width):
    """Records at the beginning of the scratch memory."""
    content = WindowContent(content)
    return sort_records(content, content.scratch, content.scratch[count * width :], count, width)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 2, 3])
@quickly
@given(st.lists(FLOATS | st.sampled_from([INFINITY, -INFINITY]), max_size=200))
def test_records_are_sorted_stably_by_their_first_float(width, keys):
    records = [(key, *[place] * (width - 1)) for place, key in enumerate(keys)]
    memory = np.array([*records, *[(0.0,) * width] * (len(keys) + 1)], np.float64)
    content = WindowContent.make(scratch=memory, stop=np.zeros(1, np.int64))
    assert sort(content.address, len(keys), width) == 0
    assert memory[: len(keys)].tolist() == [list(each) for each in sorted(records, key=lambda each: each[0])]


@quickly
@given(st.lists(FLOATS, min_size=1, max_size=60), st.lists(st.floats(0, 1), min_size=1, max_size=5, unique=True))
def test_quantiles_are_those_of_numpy(values, probabilities):
    status, outputs = of("quantiles", values, probabilities=probabilities)
    assert status == "ok"
    np.testing.assert_array_max_ulp(np.array(list(outputs.values())), np.quantile(values, probabilities), 1)


def test_a_quantile_at_a_whole_place_is_a_value():
    values = np.random.default_rng(3).normal(size=1001)
    wanted = np.sort(values)[[0, 500, 950, 990, 1000]].tolist()
    assert list(of("quantiles", values, probabilities=(0, 0.5, 0.95, 0.99, 1)).outputs.values()) == wanted
    assert set(of("quantiles", [3.5]).outputs.values()) == {3.5} == set(of("quantiles", [3.5, 3.5]).outputs.values())


def test_quantiles_are_named_by_their_percentage():
    given = (0.5, 0.07, 0.999, 0.0, 1.0, 0.025, 1e-7)
    assert function("quantiles").outputs(given) == ("p50", "p7", "p99_9", "p0", "p100", "p2_5", "p0_00001")


def test_quantiles_between_values_far_apart():
    quarters = (0.25, 0.5, 0.75)
    far = of("quantiles", [GREATEST, -GREATEST], probabilities=quarters)
    assert (far.status, list(far.outputs.values())) == ("ok", pytest.approx([-GREATEST / 2, 0.0, GREATEST / 2]))
    beyond = of("quantiles", [INFINITY, INFINITY, 1.0], probabilities=quarters)
    assert (beyond.status, set(beyond.outputs.values())) == ("ok", {INFINITY})
    status, outputs = of("quantiles", [INFINITY, -INFINITY], probabilities=(0, 0.5, 1))
    assert (status, outputs["p0"], outputs["p100"]) == ("not finite", -INFINITY, INFINITY)
    assert math.isnan(outputs["p50"])


@quickly
@given(st.lists(FLOATS, min_size=3, max_size=60), st.sampled_from([0, 0.5, 3.5]))
def test_scores_are_distances_from_the_median_in_mads(values, threshold):
    status, outputs = of("median_deviation", values, threshold=threshold)
    values = np.array(values)
    median = np.median(values)
    mad = np.median(np.abs(values - median))
    assert (outputs["median"], outputs["mad"], status) == (median, mad, "ok" if mad else "singular")
    if mad:
        with np.errstate(over="ignore"):
            scores = 0.6745 * (values - median) / mad
        assert outputs["anomalies"] == np.sum(np.abs(scores) > threshold)
        assert outputs["greatest_score"] == pytest.approx(scores[np.argmax(np.abs(scores))])
        assert outputs["newest_score"] == pytest.approx(scores[-1])
    else:
        assert are_null(list(outputs.values())[2:])


def test_windows_without_scores():
    assert of("median_deviation", [1.0, 2.0])[0] == "too few tuples"
    assert of("median_deviation", [1.0, 2.0], least=2).outputs["mad"] == 0.5
    assert of("median_deviation", [7.0], least=1)[0] == "singular"
    status, outputs = of("median_deviation", [5.0, 5.0, 5.0, 8.0])
    assert (status, outputs["median"], outputs["mad"]) == ("singular", 5.0, 0.0)
    for values in ([INFINITY, INFINITY, 1.0], [-INFINITY, 1.0, 2.0, INFINITY], [-INFINITY, INFINITY]):
        assert of("median_deviation", values, least=1)[0] == "not finite"
    far = of("median_deviation", [GREATEST, -GREATEST, -GREATEST, GREATEST]).outputs
    assert (far["median"], far["mad"], far["newest_score"]) == (0.0, GREATEST, pytest.approx(0.6745))


def test_an_infinite_value_is_an_anomaly():
    assert of("median_deviation", [1.0, 2.0, 3.0, -INFINITY, 5.0]).outputs == {
        "median": 2.0,
        "mad": 1.0,
        "anomalies": 1,
        "greatest_score": -INFINITY,
        "newest_score": pytest.approx(3 * 0.6745),
    }


@quickly
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=60))
def test_a_skyline_is_that_of_comparing_each_with_each(pairs):
    status, outputs = of("skyline", *zip(*pairs, strict=True))
    found = plain_skyline(pairs)
    x, y = min(found)
    other_y, other_x = min((b, a) for a, b in found)
    assert (status, list(outputs.values())) == ("ok", [len(found), x, y, other_y, other_x, plain_area(pairs)])


@quickly
@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=60))
def test_a_skyline_of_any_floats(pairs):
    assert of("skyline", *zip(*pairs, strict=True)).outputs["points"] == len(plain_skyline(pairs))


def test_skylines_at_the_edge():
    assert list(of("skyline", [3.0], [4.0]).outputs.values()) == [1, 3, 4, 4, 3, 0]
    assert list(of("skyline", [3.0] * 5, [4.0] * 5).outputs.values()) == [5, 3, 4, 4, 3, 0]
    for far in (GREATEST, INFINITY):
        status, outputs = of("skyline", [far, 0.0, -far], [far, -far, 5.0])
        assert (status, list(outputs.values())[:5]) == ("not finite", [2, -far, 5, -far, 0])
        assert math.isnan(outputs["area"])


@pytest.mark.parametrize("offset", [0.0, 2.0**30])
@pytest.mark.parametrize(("order", "count"), [(1, 4), (1, 100), (2, 6), (2, 300), (3, 1500), (8, 60), (20, 200)])
def test_an_autoregression_is_that_of_numpy(order, count, offset):
    values = made_up_series(count) + offset
    wanted, deviation = plain_autoregression(values - offset, order)
    series = list(values - offset)
    for _ in range(3):
        series.append(wanted[0] + np.dot(wanted[1:], series[: -order - 1 : -1]))
    status, outputs = of("autoregression", values, order=order, ahead=3)
    assert status == "ok"
    np.testing.assert_allclose([outputs[f"phi_{k}"] for k in range(1, order + 1)], wanted[1:], rtol=1e-7, atol=1e-9)
    intercept = wanted[0] + offset * (1.0 - wanted[1:].sum())
    assert outputs["intercept"] == pytest.approx(intercept, rel=1e-7, abs=1e-9)
    assert outputs["residual_std"] == pytest.approx(deviation, rel=1e-7)
    assert outputs["forecast"] == pytest.approx(series[-1] + offset, rel=1e-9)


def test_what_has_no_autoregression():
    assert of("autoregression", [1.0, 2.0, 4.0, 7.0, 1.0])[0] == "too few tuples"
    assert of("autoregression", [0.1] * 50)[0] == "singular"
    assert of("autoregression", np.arange(100) * 0.37 + 1e9)[0] == "singular"
    assert of("autoregression", [1.0, INFINITY, 3.0, 1.0, 2.0, 5.0, 4.0])[0] == "not finite"


def test_autoregressions_of_extremes():
    status, outputs = of("autoregression", np.arange(100) * 0.5, order=1, ahead=7)
    assert (status, outputs["forecast"]) == ("ok", pytest.approx(53.0))
    values = made_up_series(50)
    small = of("autoregression", values).outputs
    large = of("autoregression", values * 2.0**1000).outputs
    assert (large["phi_1"], large["forecast"]) == pytest.approx((small["phi_1"], small["forecast"] * 2.0**1000))
    status, outputs = of("autoregression", 3.0 ** np.arange(20), order=1, ahead=1000)
    assert (status, outputs["phi_1"]) == ("not finite", pytest.approx(3.0))
    assert math.isnan(outputs["forecast"])


@pytest.mark.parametrize("name", functions())
@quickly
@given(st.sets(st.integers(1, 99), max_size=20))
def test_it_makes_no_difference_how_a_window_is_cut_into_stretches(name, cuts):
    times, columns = any_window(name)
    whole, cut = compute_once(name, times, columns), compute_in_stretches(name, times, columns, tuple(cuts))
    assert whole.status == cut.status == "ok"
    assert np.array(list(whole.outputs.values())).tobytes() == np.array(list(cut.outputs.values())).tobytes()


@pytest.mark.parametrize("name", functions())
@pytest.mark.parametrize("count", [1, 2, 3, 100])
def test_a_window_that_has_to_end_ends(name, count):
    times, columns = any_window(name, count)
    for stop, words in ((OVER_TIME, "over time"), (INTERRUPTED, "interrupted")):
        status, outputs = compute_in_stretches(name, times, columns, (), stop=stop)
        assert status == words or (count < 100 and status == "too few tuples")
        assert are_null(outputs.values())


@pytest.mark.parametrize("name", functions())
def test_an_empty_window_has_too_few_tuples(name):
    status, outputs = of(name, *[[]] * len(function(name).columns))
    assert status == "too few tuples"
    assert are_null(outputs.values())


@pytest.mark.parametrize(
    ("name", "parameter", "value", "allowed"),
    [
        ("quantiles", "probabilities", (0.5, 1.5), "numbers from 0.0 to 1.0"),
        ("quantiles", "probabilities", (), "numbers from 0.0 to 1.0"),
        ("quantiles", "probabilities", (math.nan,), "numbers from 0.0 to 1.0"),
        ("quantiles", "probabilities", (0.5, 0.25, 0.5), "each of them once"),
        ("quantiles", "probabilities", (0.0, -0.0), "each of them once"),
        ("median_deviation", "threshold", -1.0, "a number from 0.0 to"),
        ("median_deviation", "least", 0, "an integer from 1 to"),
        ("autoregression", "order", 21, "an integer from 1 to 20"),
        ("autoregression", "order", 1.5, "an integer from 1 to 20"),
        ("autoregression", "ahead", 0, "an integer from 1 to 1000"),
        ("polynomial_fit", "degree", 16, "an integer from 0 to 15"),
    ],
)
def test_a_wrong_parameter_is_refused(name, parameter, value, allowed):
    with pytest.raises(WrongParameter) as refused:
        of(name, [1.0, 2.0, 3.0], **{parameter: value})
    assert refused.value.parameter == f"{parameter} of {name}"
    assert repr(value) in str(refused.value)
    assert allowed in str(refused.value)
