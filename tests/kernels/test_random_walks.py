"""Every kernel of point events does what a sorted list does, and keeps its invariants after every step."""

import pytest

from tests.support.kernels.machine import COMMUTATIVE, INVERTIBLE, ORDERED, walk
from windrow.kernels.aggregators import kernels

FLOATS = {"column_types": {"v": "float64"}}
BOTH = [(ORDERED, {}), (COMMUTATIVE, {})]
OF_A_RING = [*BOTH, (ORDERED, FLOATS), (ORDERED, {"keep_values": False})]
SHAPES = ({"min_arity": 2}, {"min_arity": 3}, {}, {"min_arity": 2, "deferred_free": False})
# Aggregates and options, of which the first ones run each time.
WALKS = {
    "two_stacks_lite": OF_A_RING,
    "daba_lite": OF_A_RING,
    "recompute": OF_A_RING[:3],
    "subtract_on_evict": [(INVERTIBLE, {}), (INVERTIBLE, {"column_types": None})],
    "monoid_tree": BOTH,
    "amortized_monoid_tree": BOTH,
    "finger_tree": [(ORDERED, {"min_arity": 2}), *((COMMUTATIVE, shape) for shape in SHAPES)],
    "finger_tree_single": [(ORDERED, {}), (COMMUTATIVE, {"min_arity": 2})],
}


@pytest.mark.machine
@pytest.mark.parametrize(
    ("kernel", "aggregates", "options"),
    [
        pytest.param(kernel, *each, id=f"{kernel}-{number}", marks=[pytest.mark.nightly] * (number > 0))
        for kernel in kernels()
        for number, each in enumerate(WALKS[kernel])
    ],
)
def test_a_window_is_a_sorted_list_that_keeps_its_invariants(kernel, aggregates, options):
    walk(kernel, aggregates, options)
