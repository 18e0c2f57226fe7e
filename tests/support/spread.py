"""Files that start Airflow are spread over the run: two workers that start one each, with Spark behind it, at once have
two cores for four JVMs and two schedulers. With three such workers tests failed; with two a task once waited 106 s."""

from itertools import groupby

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    by_file = [list(tests) for _, tests in groupby(items, key=lambda item: item.path)]
    starting = [tests for tests in by_file if any(item.get_closest_marker("airflow") for item in tests)]
    if not starting:
        return
    others = [tests for tests in by_file if tests not in starting]
    edges = [number * len(others) // len(starting) for number in range(len(starting) + 1)]
    spread = []
    for tests, first, end in zip(starting, edges, edges[1:], strict=False):
        spread += [tests, *others[first:end]]
    items[:] = [item for tests in spread for item in tests]
