"""The compiled functions that a replay calls, and the faces don't: insertion of states, reset. And the ring's ends."""

import importlib

import numpy as np
import pytest

from kernels.columns import Source
from kernels.memory import entry, lend, load, resize
from kernels.monoids import AggregateSpec
from kernels.plan import make_plan
from kernels.states import gather
from tests.kernels.test_compilation import run

NAMES = ["two_stacks_lite", "daba_lite", "subtract_on_evict", "recompute"]
SLIDE = """
import sys
from tests.kernels.queues import slide_every_way
slide_every_way(sys.argv[1])
"""
TIMES = np.array([1, 2, 2, 5, 9, 9, 10, 14, 15, 20], np.int64)
VALUES = np.arange(1, 11)
PLAN = make_plan((AggregateSpec("sum", 0),))
EVENTS, LOW_WORD = 0, 2


def walk_of(kernel):
    """Insert states one by one, evicting what is 8 behind; then reset, and the same as a burst."""
    create, destroy, reset = kernel.create, kernel.destroy, kernel.reset
    insert, insert_burst, evict, bulk_evict = kernel.insert, kernel.insert_burst, kernel.evict, kernel.bulk_evict
    query, range_query, youngest, is_empty = kernel.query, kernel.range_query, kernel.youngest, kernel.is_empty

    @entry
    def walk(plan, times, source, rows, answers):
        window = create(plan)
        state = resize(0, 4)
        for row in range(rows):
            gather(plan, state, source, row, row + 1)
            answers[row, 2] = insert(window, load(times, row), state)
            bulk_evict(window, load(times, row) - 8)
            answers[row, 0] = load(query(window), EVENTS)
            answers[row, 1] = load(range_query(window, load(times, row) - 4, load(times, row) + 1), LOW_WORD)
        reset(window)
        answers[rows, 0] = is_empty(window)
        answers[rows, 2] = insert_burst(window, times, source, rows)
        evict(window, load(times, 0))
        answers[rows, 1] = load(query(window), LOW_WORD)
        answers[rows + 1, 0] = youngest(window)
        gather(plan, state, source, 0, 1)
        answers[rows + 1, 2] = insert(window, load(times, 0), state)
        destroy(window)

    return walk


@pytest.mark.parametrize("name", NAMES)
def test_single_states_and_bursts(name):
    source = Source(VALUES[None, :], np.ones((1, len(TIMES)), np.bool_), TIMES)
    answers = np.zeros((len(TIMES) + 2, 3), np.int64)
    walk_of(importlib.import_module(f"kernels.aggregators.{name}"))(
        lend(PLAN.block), lend(TIMES), source.address, len(TIMES), answers)
    for row, time in enumerate(TIMES):
        there = TIMES[:row + 1]
        assert tuple(answers[row]) == ((there > time - 8).sum(), VALUES[:row + 1][there >= time - 4].sum(), 1)
    assert tuple(answers[-2]) == (1, VALUES[1:].sum(), 1)
    assert tuple(answers[-1]) == (20, 0, name == "recompute")


@pytest.mark.parametrize("name", NAMES)
def test_no_access_leaves_the_ring(name):
    """Every access checked. DABA lite once wrote to entries that the same bulk eviction had taken."""
    answer = run(SLIDE, name, NUMBA_DISABLE_JIT="1")
    assert answer.returncode == 0, answer.stdout + answer.stderr
