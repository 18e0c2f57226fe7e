"""The polynomial fit, alongside SciPy and NumPy, and where its numbers are small, large, or few."""

import math

import numpy as np
import pytest

from tests.support.kernels.contents import are_null, made_up_values
from tests.support.kernels.contents import compute_columns as of
from windrow.kernels.farm.once import compute_once
from windrow.testing.contents import compute_in_stretches

INFINITY = math.inf


def upper_triangle(outputs, n):
    return [[outputs[f"covariance_{min(i, j)}_{max(i, j)}"] for j in range(n)] for i in range(n)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("degree", range(7))
def test_a_fit_is_that_of_scipy(degree, weighted):
    from scipy.optimize import curve_fit  # a second, once, instead of at each worker's import of this file

    times, seconds, values, weights = made_up_values(degree, 120)
    powers = np.vander(seconds, degree + 1, increasing=True)
    wanted, covariance = curve_fit(
        lambda x, *c: powers @ np.array(c),
        seconds,
        values,
        np.ones(degree + 1),
        sigma=weights**-0.5 if weighted else None,
        jac=lambda x, *c: powers,
    )
    status, outputs = of("polynomial_fit", values, *[weights] * weighted, times=times, degree=degree)
    assert status == "ok"
    np.testing.assert_allclose([outputs[f"c{i}"] for i in range(degree + 1)], wanted, rtol=1e-6)
    np.testing.assert_allclose(upper_triangle(outputs, degree + 1), covariance, rtol=1e-6)
    squares = (weights if weighted else 1.0) * (values - powers @ wanted) ** 2
    assert outputs["residual_std"] == pytest.approx(math.sqrt(squares.sum() / (120 - degree - 1)))


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("degree", range(7))
def test_a_polynomial_without_noise_is_found(degree, offset):
    times, seconds, _, _ = made_up_values(degree, 60)
    values = np.polynomial.polynomial.polyval(seconds, [offset, 2.0, -3.0, 4.0, -5.0, 6.0, -7.0][: degree + 1])
    status, outputs = of("polynomial_fit", values, times=times, degree=degree)
    got, wanted = [outputs[f"c{i}"] for i in range(degree + 1)], np.polyfit(seconds, values, degree)[::-1]
    assert status == "ok"
    np.testing.assert_allclose(got, wanted, atol=max(1e-9, offset * 1e-12))


def test_what_has_no_fit():
    assert of("polynomial_fit", [1.0, 2.0])[0] == "too few tuples"
    assert of("polynomial_fit", [1.0, 2.0, 3.0], times=[5, 5, 5], degree=1)[0] == "singular"
    assert of("polynomial_fit", [1.0, 2.0, 3.0], times=[5, 5, 6])[0] == "singular"
    assert of("polynomial_fit", [1e308, -1e308, 1e308, 0.0])[0] == "not finite"
    assert of("polynomial_fit", [1.0, INFINITY, 3.0, 4.0])[0] == "not finite"
    assert of("polynomial_fit", [1.0, 5.0, 3.0, 4.0], iterations=1)[0] == "not converged"


@pytest.mark.parametrize("degree", [3, 5])
def test_no_iteration_is_lost_to_rounding(degree):
    """Of steps near the optimum, whose costs differ by rounding only, none is refused."""
    for seed in range(20):
        times, _, values, _ = made_up_values(degree, 200, seed)
        assert of("polynomial_fit", values, times=times, degree=degree).outputs["iterations"] <= 6


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("offset", [0.0, 20.0, 1e9])
def test_coefficients_of_zero_are_found(degree, offset):
    """A third difference is orthogonal to parabolas: nothing is left for the size of a step to compare with."""
    for count in range(7, 60):
        values = np.full(count, offset)
        values[1:5] += [0.5, -1.5, 1.5, -0.5]
        status, outputs = of("polynomial_fit", values, degree=degree)
        assert (status, outputs["iterations"] <= 3) == ("ok", True)
        np.testing.assert_allclose(
            [outputs[f"c{i}"] for i in range(degree + 1)], [offset, 0, 0][: degree + 1], atol=1e-9
        )


@pytest.mark.parametrize("tolerance", [1e-15, 1e-10, 1e-1])
@pytest.mark.parametrize("noise", [1e-9, 1.0])
def test_residuals_are_those_of_the_tuples_also_where_they_are_small(noise, tolerance):
    """The cost that follows from the moments has no digit left of residuals of 1e-9."""
    times, seconds, values, _ = made_up_values(2, 100)
    made = np.polynomial.polynomial.polyval(seconds, [1.0, 2.0, 3.0]) + noise * values
    status, outputs = of("polynomial_fit", made, times=times, tolerance=tolerance)
    residuals = made - np.polynomial.polynomial.polyval(seconds, [outputs["c0"], outputs["c1"], outputs["c2"]])
    assert status == "ok"
    assert outputs["residual_std"] == pytest.approx(math.sqrt(np.sum(residuals**2) / 97), rel=1e-6)


def test_a_large_constant_has_no_residuals():
    """Groups of tuples are filled up by such as have no weight: 0 · ∞ isn't 0."""
    status, outputs = of("polynomial_fit", [1e200] * 13)
    assert (status, outputs["c0"], outputs["residual_std"]) == ("ok", 1e200, 0.0)


@pytest.mark.parametrize("degree", [0, 3, 4, 15])
@pytest.mark.parametrize("count", [17, 64, 500])
def test_a_fit_without_weights_is_one_of_equal_weights_however_it_is_cut(count, degree):
    times, _, values, _ = made_up_values(3, count)
    whole = compute_once("polynomial_fit", times, np.array([values, np.ones(count)]), {"degree": degree})
    for size in (1, 5, 8, 13, 100):
        cuts = tuple(range(size, count, size))
        cut = compute_in_stretches("polynomial_fit", times, values[None], cuts, {"degree": degree})
        assert np.array(list(whole.outputs.values())).tobytes() == np.array(list(cut.outputs.values())).tobytes()


def test_a_fit_as_long_as_its_window_has_no_deviation():
    status, outputs = of("polynomial_fit", [4.0], degree=0)
    assert (status, outputs["c0"]) == ("ok", 4.0)
    assert are_null([outputs["residual_std"], outputs["covariance_0_0"]])
    assert of("polynomial_fit", [4.0, 6.0], times=[5, 5], degree=0).outputs["c0"] == pytest.approx(5.0)
