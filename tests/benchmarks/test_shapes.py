"""What the pages' checks call rising, falling, flat and logarithmic."""

import pytest

from benchmarks.shapes import falls, follows_logarithm, rises, spread


@pytest.mark.parametrize(
    ("values", "are"),
    [([1, 2, 3], True), ([1, 3, 2.5], True), ([1, 3, 1.5], False), ([3, 2, 2.5], False), ([1, 8, 2, 9], False)],
)
def test_a_line_that_rises_does_so_at_every_point(values, are):
    assert rises(values) is are
    assert falls([1 / value for value in values]) is are


def test_a_flat_line_and_a_logarithm():
    assert spread([2.0, 1.0, 1.5]) == 2
    distances = [0, 15, 255, 4095]
    assert follows_logarithm(distances, [1, 3, 5, 7]) > 0.99
    assert follows_logarithm(distances, [7, 5, 3, 1]) < -0.99
    assert follows_logarithm(distances, [1, 4, 1, 4]) < 0.7
