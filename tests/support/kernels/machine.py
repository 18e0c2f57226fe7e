"""A random walk over an aggregator and the plain window side by side: every answer equal, invariants after every step.

A test names a kernel, options and aggregates, nothing else.
"""

import os

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from tests.support.kernels.plain import PlainWindow, same
from windrow.kernels.aggregators import make, window_class
from windrow.schemas.query import agg

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
TIMES = st.one_of(
    st.integers(0, 60), st.integers(-3000, 3000), st.sampled_from([LOWEST, LOWEST + 1, HIGHEST - 1, HIGHEST])
)
STEPS = st.one_of(st.integers(0, 3), st.integers(0, 1000))
VALUES = st.one_of(st.integers(-100, 100), st.none())
COMMUTATIVE = {
    "events": agg("count"),
    "there": agg("count", "v"),
    "total": agg("sum", "v"),
    "low": agg("min", "v"),
    "high": agg("max", "v"),
    "mean": agg("mean", "v"),
}
INVERTIBLE = {name: COMMUTATIVE[name] for name in ("events", "there", "total", "mean")}
ORDERED = {"events": agg("count"), "last": agg("last", "v"), "total": agg("sum", "v")}
NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
NIGHTLY_OPERATIONS = 500_000
"""Of each walk, and every kernel has two at least; an event of a burst counts as one, a query as one."""
HOW_LONG = settings(
    max_examples=100 if NIGHTLY else min(30, settings().max_examples * 3 // 2),
    stateful_step_count=200 if NIGHTLY else 30,
    deadline=None,
)


class Machine(RuleBasedStateMachine):
    """Any operation at any time, for kernels that take events in any order."""

    kernel: str
    options: dict
    aggregates: dict
    operations = 0

    def __init__(self):
        super().__init__()
        self.in_order = window_class(self.kernel).IN_ORDER_ONLY
        self.window = make(self.kernel, self.aggregates, **self.options)
        self.plain = PlainWindow(self.aggregates)

    def both(self, method, *arguments):
        type(self).operations += len(arguments[0]) if method == "bulk_insert" else 1
        got, wanted = getattr(self.window, method)(*arguments), getattr(self.plain, method)(*arguments)
        assert same(got, wanted), f"{method}{arguments}: {got} instead of {wanted}"

    def now(self):
        return 0 if self.plain.youngest() is None else self.plain.youngest()

    @precondition(lambda self: not self.in_order)
    @rule(time=TIMES, value=VALUES)
    def insert_anywhere(self, time, value):
        self.both("insert", time, value)

    @precondition(lambda self: not self.in_order)
    @rule(burst=st.lists(st.tuples(TIMES, VALUES), max_size=80))
    def insert_a_burst_anywhere(self, burst):
        self.both("bulk_insert", [time for time, _ in burst], [value for _, value in burst])

    @rule(steps=st.lists(STEPS, max_size=60), value=VALUES)
    def grow_in_order(self, steps, value):
        for step in steps:
            self.both("insert", min(self.now() + step, HIGHEST), value)

    @rule(burst=st.lists(st.tuples(STEPS, VALUES), max_size=150))
    def insert_a_burst_at_the_young_end(self, burst):
        now = self.now()
        self.both("bulk_insert", [min(now + step, HIGHEST) for step, _ in burst], [value for _, value in burst])

    @rule(time=TIMES)
    def evict_up_to(self, time):
        self.both("bulk_evict", time)

    @rule(share=st.floats(0, 1))
    def evict_a_share_of_what_is_there(self, share):
        times = sorted(self.plain.entries)
        if times:
            self.both("bulk_evict", times[int(share * (len(times) - 1))])

    @rule(share=st.floats(0, 1))
    def evict_one(self, share):
        times = sorted(self.plain.entries)
        if times:
            self.both("evict", times[0 if self.in_order else int(share * (len(times) - 1))])

    @rule(steps=st.lists(st.integers(0, 5), max_size=60), value=VALUES)
    def slide(self, steps, value):
        """A window of constant length: one in, one out."""
        for step in steps:
            self.both("insert", min(self.now() + step, HIGHEST), value)
            self.both("evict", self.plain.oldest())
            self.both("query")

    @rule()
    def evict_everything(self):
        self.both("bulk_evict", HIGHEST)

    @precondition(lambda self: self.options.get("keep_values", True))  # without values not all ranges are answered
    @rule(low=TIMES, high=TIMES)
    def query_a_range(self, low, high):
        self.both("range_query", low, high)

    @rule(low=TIMES)
    def query_from_a_time_on(self, low):
        if self.now() < HIGHEST:
            self.both("range_query", low, self.now() + 1)

    @invariant()
    def holds_the_same(self):
        self.window.check()
        self.both("query")
        assert (self.window.oldest(), self.window.youngest(), len(self.window)) == (
            self.plain.oldest(),
            self.plain.youngest(),
            len(self.plain),
        )


def walk(kernel: str, aggregates: dict, options: dict) -> None:
    """Walks of one kernel, over the one column v (int64 unless named)."""
    words = {"kernel": kernel, "aggregates": aggregates, "options": {"column_types": {"v": "int64"}} | options}
    machine = type(f"Machine_{kernel}", (Machine,), words)
    run_state_machine_as_test(machine, settings=HOW_LONG)
    while NIGHTLY and machine.operations < NIGHTLY_OPERATIONS:
        run_state_machine_as_test(machine, settings=HOW_LONG)
