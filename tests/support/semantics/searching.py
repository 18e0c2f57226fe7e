"""Random questions until each feature came in one.

How often a rare feature comes is not settled by the number of questions: Hypothesis also draws constants of whatever
modules the process has imported, so that the same test asks other questions in another order of tests.
"""

from collections.abc import Callable

from hypothesis import seed

MOST_SEARCHES = 100
"""Of 25 questions each: delta windows took 14 until one was revised and one was no more."""


def search_until_nothing_is_missing(ask: Callable[[], None], missing: Callable[[], set]) -> None:
    """Run a Hypothesis test as its profile says, then with one seed after another; fails, naming them, where features
    never came."""
    ask()
    for number in range(MOST_SEARCHES):
        if not missing():
            return
        seed(number)(ask)()
    assert not missing(), f"no random question had {sorted(map(str, missing()))}"
