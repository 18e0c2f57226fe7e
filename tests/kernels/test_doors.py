"""The operations that a replay asks for, and the objects don't, by every kernel's door. And the ring's ends."""

import itertools

import numpy as np
import pytest

from kernels.aggregators import _doors, face, kernels
from kernels.aggregators._window import ask
from kernels.columns import Source
from kernels.memory import entry, lend, load
from kernels.monoids import AggregateSpec
from kernels.plan import make_plan
from kernels.states import gather
from tests.kernels.test_compilation import run

RINGS = ["two_stacks_lite", "daba_lite", "subtract_on_evict", "recompute"]
SLIDE = """
import sys
from tests.kernels.queues import slide_every_way
slide_every_way(sys.argv[1])
"""
TIMES = np.array([1, 2, 2, 5, 9, 9, 10, 14, 15, 20], np.int64)
VALUES = np.arange(1, 11)
PLAN = make_plan((AggregateSpec("sum", 0),))
EVENTS, HIGH_WORD, LOW_WORD = range(3)
STATE_WORDS = PLAN.state_words


@entry
def gather_row(plan, state, source, row):
    gather(plan, state, source, row, row + 1)


@entry
def word_at(address, place):
    return load(address, place)


def one_column(values, times):
    return Source(values[None, :], np.ones((1, len(times)), np.bool_), times)


class Asked:
    """A structure asked through its door."""

    def __init__(self, kernel):
        self.door = face(kernel).door()
        self.source = one_column(VALUES, TIMES)
        self.state = np.zeros(STATE_WORDS, np.int64)
        # Its own states are asked for, so the lite kernels keep them: what CREATE's option says.
        keeps = 1 if kernel.endswith("lite") else 8 if kernel.startswith("finger") else 0
        self.address = ask(self.door, 0, _doors.CREATE, lend(PLAN.block), keeps, 0)

    def __call__(self, operation, *arguments):
        return ask(self.door, self.address, operation, *arguments, *[0] * (3 - len(arguments)))

    def insert_row(self, row):
        gather_row(lend(PLAN.block), lend(self.state), self.source.address, row)
        return self(_doors.INSERT, int(TIMES[row]), lend(self.state))

    def sum_between(self, low, high):
        return word_at(self(_doors.RANGE_QUERY, low, high), LOW_WORD)

    def entries_between(self, low, high):
        """(time, sum) of each, as COPY_ENTRIES and COUNT_BETWEEN tell it."""
        copied = np.zeros((self(_doors.COUNT_BETWEEN, low, high), 1 + STATE_WORDS), np.int64)
        if len(copied):
            self(_doors.COPY_ENTRIES, low, high, lend(copied))
        return [(int(time), int(low_word)) for time, low_word in copied[:, [0, 1 + LOW_WORD]]]


def sums_of(low, high):
    there = (low <= TIMES) & (high > TIMES)
    return [(int(time), int(VALUES[time == TIMES].sum())) for time in np.unique(TIMES[there])]


@pytest.mark.parametrize("name", kernels())
def test_single_states_and_what_is_read_of_them(name):
    asked = Asked(name)
    assert asked(_doors.IS_EMPTY) == 1
    assert asked(_doors.FIRST_FROM, 0) == asked(_doors.OLDEST) == -asked(_doors.YOUNGEST) == _doors.FOREVER
    for row, time in enumerate(TIMES.tolist()):
        assert asked.insert_row(row) == _doors.DONE
        asked(_doors.BULK_EVICT, time - 8)
        there = TIMES[:row + 1]
        assert word_at(asked(_doors.QUERY), EVENTS) == (there > time - 8).sum()
        assert asked.sum_between(time - 4, time + 1) == VALUES[:row + 1][there >= time - 4].sum()
        assert asked(_doors.OLDEST) == there[there > time - 8].min()
        assert (asked(_doors.YOUNGEST), asked(_doors.IS_EMPTY)) == (time, 0)
    asked(_doors.DESTROY)


@pytest.mark.parametrize("name", kernels())
def test_a_burst_is_read_entry_by_entry(name):
    asked = Asked(name)
    assert asked(_doors.INSERT_BURST, lend(TIMES), asked.source.address, len(TIMES)) == _doors.DONE
    for evicted in (0, 2, 9):
        asked(_doors.BULK_EVICT, evicted)
        for low, high in itertools.combinations(range(21), 2):
            there = sums_of(max(low, evicted + 1), high)
            assert asked.entries_between(low, high) == there
            assert asked.sum_between(low, high) == sum(total for _, total in there)
            assert asked(_doors.FIRST_FROM, low) == min(TIMES[max(low, evicted + 1) <= TIMES], default=_doors.FOREVER)
    np.copyto(asked.state, 0)
    asked(_doors.APPEND_RANGE, 10, 15, lend(asked.state))
    assert asked.state[LOW_WORD] == sum(total for _, total in sums_of(10, 15))
    asked(_doors.DESTROY)


@pytest.mark.parametrize("name", kernels())
def test_reset_empties_and_order_is_told(name):
    asked = Asked(name)
    asked(_doors.INSERT_BURST, lend(TIMES), asked.source.address, len(TIMES))
    asked(_doors.RESET)
    assert (asked(_doors.IS_EMPTY), asked(_doors.COUNT), asked.sum_between(0, 100)) == (1, 0, 0)
    asked.insert_row(9)
    assert asked.insert_row(0) == (_doors.DONE if name.startswith("finger") or name == "recompute"
                                   else _doors.OUT_OF_ORDER)
    asked(_doors.DESTROY)


@pytest.mark.parametrize("name", RINGS)
def test_no_access_leaves_the_ring(name):
    """Every access checked. DABA lite once wrote to entries that the same bulk eviction had taken."""
    answer = run(SLIDE, name, NUMBA_DISABLE_JIT="1")
    assert answer.returncode == 0, answer.stdout + answer.stderr
