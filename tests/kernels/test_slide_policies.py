"""Slide policies that users program (MTA §3.2, §4.1.3): the longest prefix that is evicted is found in one search."""

import random

import numpy as np
import pytest

from tests.kernels.test_monoid_trees import INT, KERNELS
from tests.support.kernels.marks import COMPILED
from tests.support.kernels.plain import PlainWindow
from windrow.kernels.aggregators import make
from windrow.kernels.runtime.memory import address_of
from windrow.kernels.runtime.struct import words_at
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import agg

each_kernel = pytest.mark.parametrize("kernel", KERNELS)
each_place = pytest.mark.parametrize("options", [{}, {"store": "lmdb", "buffer": 16}], ids=["memory", "lmdb"])
ASKED = []


class PlainPolicy(PlainWindow):
    """After each event, the longest prefix that the policy evicts goes; every prefix is asked about."""

    def __init__(self, aggregates, policy):
        super().__init__(aggregates)
        self.policy = policy

    def insert(self, t, v=None):
        super().insert(t, v)
        total, times = self.query(), sorted(self.entries)
        evicted = [place for place in range(1, len(times) + 1) if self.policy(total, self._aggregated(times[:place]))]
        if evicted:
            self.bulk_evict(times[evicted[-1] - 1])


def of_sums(limit):
    """Of numbers ≥ 0: what can go while at least `limit` is left."""
    return {"sum": agg("sum", "v"), "max": agg("max", "v")}, lambda total, prefix: total["sum"] - prefix["sum"] >= limit


def of_timestamps(width):
    """Updates younger than `width`, by the latest timestamp of the prefix (MTA listing 1)."""
    return {
        "last": agg("max", "v"),
        "events": agg("count"),
    }, lambda total, prefix: total["last"] - prefix["last"] >= width


def of_counts(size):
    """At least `size` events stay (MTA listing 3)."""
    return {
        "events": agg("count"),
        "last": agg("last", "v"),
    }, lambda total, prefix: total["events"] - prefix["events"] >= size


def before_the_maximum():
    """What lies before the maximum of the window goes (MTA §5.6)."""
    return {"max": agg("max", "v"), "events": agg("count")}, lambda total, prefix: prefix["max"] < total["max"]


class Watched:
    """A policy, and what it was asked. It is compiled, so it can't append to a list: it writes to memory."""

    MOST = 4000

    def __init__(self, policy):
        self._memory = np.zeros(1 + 2 * self.MOST, np.int64)
        address = address_of(self._memory)

        def watched(total, prefix):
            evicts, log = policy(total, prefix), words_at(address)
            log[1 + 2 * log[0]] = prefix["last"]
            log[2 + 2 * log[0]] = 1 if evicts else 0
            log[0] += 1
            return evicts

        self.policy = watched

    def asked(self) -> list[tuple[int, bool]]:
        """(the last value of the prefix, whether it goes) of each question since the last call."""
        asked = self._memory[1 : 1 + 2 * self._memory[0]].reshape(-1, 2).tolist()
        self._memory[0] = 0
        return [(last, bool(evicts)) for last, evicts in asked]


def fig_2(kernel, **options):
    """Fig. 2: timestamps, of which those go that are 4 or more before the latest; → the window before 8 comes, and
    what its policy is asked."""
    aggregates, policy = of_timestamps(4)
    watched = Watched(policy)
    window = make(kernel, aggregates, column_types=INT, policy=watched.policy, **options)
    for time in range(-2, 5):
        window.insert(time, time)
    watched.asked()
    return window, watched


POLICIES = {
    "counts": (of_counts(7), (0, 9)),
    "sums": (of_sums(40), (0, 9)),
    "maximum": (before_the_maximum(), (0, 99)),
    "many": (of_counts(100), (0, 9)),
    "all": ((of_sums(1)[0], lambda total, prefix: True), (0, 9)),
}


@pytest.mark.slow
@each_kernel
@each_place
def test_figure_2_inserting_8_evicts_all_others_in_three_steps(kernel, options):
    window, watched = fig_2(kernel, **options)
    assert (window.oldest(), len(window)) == (1, 4)
    window.insert(8, 8)
    assert [last for last, evicts in watched.asked() if evicts] == [1, 3, 4]
    assert (window.query(), len(window)) == ({"last": 8, "events": 1}, 1)


@pytest.mark.slow
@each_kernel
@each_place
@pytest.mark.parametrize("name", POLICIES)
def test_policies_do_what_asking_about_every_prefix_does(kernel, options, name):
    (aggregates, policy), (low, high) = POLICIES[name]
    draw = random.Random(name)
    window = make(kernel, aggregates, column_types=INT, policy=policy, **options)
    plain = PlainPolicy(aggregates, policy)
    time = 0
    for _ in range(12):
        times = [time := time + draw.choice([0, 1, 1, 5]) for _ in range(draw.choice([1, 3, 25]))]
        values = [draw.randint(low, high) for _ in times]
        window.bulk_insert(times, values)
        plain.bulk_insert(times, values)
        window.check()
        assert (window.query(), len(window), window.oldest()) == (plain.query(), len(plain), plain.oldest())


@pytest.mark.slow
@pytest.mark.few(2)
@each_kernel
def test_timestamps_with_long_gaps_evict_much_at_once(kernel):
    aggregates, policy = of_timestamps(1000)
    watched = Watched(policy)
    window = make(kernel, aggregates, column_types=INT, policy=watched.policy)
    window.bulk_insert(range(900), range(900))
    watched.asked()
    window.insert(1890, 1890)
    assert (window.oldest(), len(window)) == (891, 10)
    assert len(watched.asked()) <= 25  # of 891 evicted: up and down again


def test_a_policy_must_be_callable():
    with pytest.raises(WrongParameter, match="policy is 5"):
        make("monoid_tree", of_counts(1)[0], policy=5)


@pytest.mark.slow
@COMPILED
@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (lambda total, prefix: ASKED.append(prefix) or False, "ASKED"),
        (lambda total, prefix: total["events"] > prefix["evnets"], "evnets"),
        (lambda total, prefix: max(total.values()) > 9, "values"),
    ],
    ids=["it changes what is outside", "an output that isn't there", "no read by name"],
)
def test_a_policy_that_cannot_be_compiled_is_refused(policy, why, tmp_path):
    options = {"store": "lmdb", "path": str(tmp_path)}
    with pytest.raises(WrongParameter, match="it reads outputs by name.* can't be compiled: .*" + why):
        make("monoid_tree", of_counts(1)[0], policy=policy, **options)
    make("monoid_tree", of_counts(1)[0], **options).close()  # the store isn't in use


@pytest.mark.slow
@each_kernel
@each_place
def test_a_null_is_none_to_a_policy(kernel, options):
    def nothing_yet(total, prefix):
        return prefix["max"] is None and total["max"] is not None

    aggregates = {"max": agg("max", "v"), "events": agg("count")}
    window = make(kernel, aggregates, column_types=INT, policy=nothing_yet, **options)
    window.bulk_insert([1, 2, 3, 4, 5], [None, None, 7, None, 1])
    assert (window.oldest(), window.query()) == (3, {"max": 7, "events": 3})


@pytest.mark.slow
@each_kernel
@each_place
@pytest.mark.parametrize(
    ("policy", "error"),
    [
        (lambda total, prefix: prefix["max"] + 1 > 0, TypeError),
        (lambda total, prefix: total["events"] // (total["events"] - 2) > 9, ZeroDivisionError),
    ],
    ids=["a null", "a zero"],
)
def test_what_a_policy_raises_is_raised_and_the_event_is_in(kernel, options, policy, error):
    aggregates = {"max": agg("max", "v"), "events": agg("count")}
    window = make(kernel, aggregates, column_types=INT, policy=policy, **options)
    with pytest.raises(error):
        window.bulk_insert([1, 2, 3], [None, 1, 2] if error is TypeError else [1, 2, 3])
    window.check()
    assert len(window) == (1 if error is TypeError else 2)
