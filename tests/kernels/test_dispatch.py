"""The operations that a replay asks for, and the objects don't, by every kernel's table."""

import itertools

import numpy as np
import pytest

from kernels.aggregators import _dispatch, kernels, window_class
from kernels.aggregators._columns import Source
from kernels.aggregators._window import ask
from kernels.monoids import AggregateSpec
from kernels.runtime.memory import address_of, entry
from kernels.runtime.struct import words_at
from kernels.states import gather
from kernels.states.state_plan import make_plan

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
    return words_at(address)[place]


def one_column(values, times):
    return Source(values[None, :], np.ones((1, len(times)), np.bool_), times)


class Asked:
    """A structure asked through its table."""

    def __init__(self, kernel):
        self.table = window_class(kernel).dispatch()
        self.source = one_column(VALUES, TIMES)
        self.state = np.zeros(STATE_WORDS, np.int64)
        # Its own states are asked for, so the lite kernels keep them: what CREATE's option says.
        keeps = 1 if kernel.endswith("lite") else 8 if kernel.startswith("finger") else 0
        self.address = ask(self.table.create, PLAN.address, keeps, 0)

    def __call__(self, operation, *arguments):
        return ask(getattr(self.table, operation), self.address, *arguments)

    def insert_row(self, row):
        gather_row(PLAN.address, address_of(self.state), self.source.address, row)
        return self("insert", int(TIMES[row]), address_of(self.state), row)

    def sum_between(self, low, high):
        return word_at(self("range_query", low, high), LOW_WORD)

    def entries_between(self, low, high):
        """(time, sum) of each, as copy_entries and count_between give it."""
        copied = np.zeros((self("count_between", low, high), 1 + STATE_WORDS), np.int64)
        if len(copied):
            self("copy_entries", low, high, address_of(copied))
        return [(int(time), int(low_word)) for time, low_word in copied[:, [0, 1 + LOW_WORD]]]


def sums_of(low, high):
    there = (low <= TIMES) & (high > TIMES)
    return [(int(time), int(VALUES[time == TIMES].sum())) for time in np.unique(TIMES[there])]


@pytest.mark.slow
@pytest.mark.parametrize("name", kernels())
def test_single_states_and_what_is_read_of_them(name):
    asked = Asked(name)
    assert asked("is_empty") == 1
    assert asked("first_from", 0) == asked("oldest") == -asked("youngest") == _dispatch.FOREVER
    for row, time in enumerate(TIMES.tolist()):
        assert asked.insert_row(row) == _dispatch.DONE
        asked("bulk_evict", time - 8)
        there = TIMES[: row + 1]
        assert word_at(asked("query"), EVENTS) == (there > time - 8).sum()
        assert asked.sum_between(time - 4, time + 1) == VALUES[: row + 1][there >= time - 4].sum()
        assert asked("oldest") == there[there > time - 8].min()
        assert (asked("youngest"), asked("is_empty")) == (time, 0)
    asked("destroy")


@pytest.mark.slow
@pytest.mark.parametrize("name", kernels())
def test_a_burst_is_read_entry_by_entry(name):
    asked = Asked(name)
    assert asked("insert_burst", address_of(TIMES), asked.source.address, len(TIMES)) == _dispatch.DONE
    for evicted in (0, 2, 9):
        asked("bulk_evict", evicted)
        for low, high in itertools.combinations(range(21), 2):
            there = sums_of(max(low, evicted + 1), high)
            assert asked.entries_between(low, high) == there
            assert asked.sum_between(low, high) == sum(total for _, total in there)
            assert asked("first_from", low) == min(TIMES[max(low, evicted + 1) <= TIMES], default=_dispatch.FOREVER)
    np.copyto(asked.state, 0)
    asked("append_range", 10, 15, address_of(asked.state))
    assert asked.state[LOW_WORD] == sum(total for _, total in sums_of(10, 15))
    asked("destroy")


@pytest.mark.slow
@pytest.mark.parametrize("name", kernels())
def test_reset_empties_and_disorder_is_reported(name):
    asked = Asked(name)
    asked("insert_burst", address_of(TIMES), asked.source.address, len(TIMES))
    asked("reset")
    assert (asked("is_empty"), asked("count"), asked.sum_between(0, 100)) == (1, 0, 0)
    asked.insert_row(9)
    assert asked.insert_row(0) == (
        _dispatch.DONE if name.startswith("finger") or name == "recompute" else _dispatch.OUT_OF_ORDER
    )
    asked("destroy")
