"""How much of an event that lasts its windows count: all of it, its share, or the point at which it starts or ends
(semantics §2)."""

import math
from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.local import replay_table
from tests.support.semantics.generate import Question
from tests.support.semantics.queries import HOUR, ask
from tests.support.semantics.spec_tables import events, table
from windrow.pipelines.gate.recount.plain.ticks import EPOCH
from windrow.schemas.errors import NotServed, WrongParameter
from windrow.schemas.query import agg, spanning
from windrow.schemas.windows.regular import PRORATED

OF_SHARES = {"calls": agg("count"), "total": agg("sum", "value"), "mean": agg("mean", "value")}
SLOTS = 16
"""Slices that events of the exact law are cut into: shares are dyadic."""


def by(attribution, size=HOUR, slide=HOUR, longest=6 * HOUR):
    return spanning(size, slide, longest=longest, attribution=attribution)


@st.composite
def tumbling_shares(draw, lengths) -> Question:
    """Events over tumbling windows of 16 s, all of them in time."""
    rows = draw(st.lists(st.tuples(st.integers(-40, 40), lengths, st.none() | st.integers(-99, 99)), max_size=12))
    second = timedelta(seconds=1)
    events = [
        {"key": "a", "start": EPOCH + start * second, "end": EPOCH + (start + length) * second, "value": value}
        | {"arrival": EPOCH + HOUR, "seq": seq}
        for seq, (start, length, value) in enumerate(rows)
    ]
    window = spanning(SLOTS * second, SLOTS * second, longest=HOUR, attribution=PRORATED)
    return Question(events, ask(window, "final", aggregates=OF_SHARES), True)


def _totals(question: Question) -> tuple[float, float]:
    rows = replay_table(table(question.rows), question.query, question.complete).to_pylist()
    return math.fsum(row["calls"] for row in rows), math.fsum(row["total"] or 0.0 for row in rows)


@pytest.mark.parametrize("is_dyadic", [True, False])
def test_shares_add_up_to_the_events(is_dyadic):
    """Dyadic ones to the last bit, others within a rounding of each piece: each is rounded twice, its share and its
    product, and each addition once, by 2^-53 of what it makes."""

    @given(tumbling_shares(st.sampled_from([1, 2, 4, 8, 16, 32, 64]) if is_dyadic else st.integers(1, 100)))
    def add_up(question: Question) -> None:
        values = [event["value"] or 0 for event in question.rows]
        share = 0 if is_dyadic else Fraction(3 * 9 * len(values), 2**53)
        calls, total = map(Fraction, _totals(question))
        assert abs(calls - len(values)) <= share * len(values)
        assert abs(total - sum(values)) <= share * sum(map(abs, values))

    add_up()


def test_events_are_counted_whole_next_to_their_shares():
    query = ask(
        by(PRORATED, 3 * HOUR), "final", aggregates={"known": agg("count", "value"), "total": agg("sum", "value")}
    )
    rows = events("""
        key | start        | arrival | value
        a   | 09:30..10:30 | 10:30   |
        """)
    found = replay_table(table(rows), query, True).to_pylist()
    assert [(row["events"], row["known"], row["total"]) for row in found] == [(1, 0.0, None)] * 4


@pytest.mark.parametrize("function", ["min", "max", "variance", "approx_distinct", "range"])
def test_an_aggregate_that_says_nothing_of_a_part_is_refused_by_name(function):
    query = ask(by(PRORATED), aggregates={"of_parts": agg(function, "value")})
    with pytest.raises(NotServed, match=f"prorated events '{function}'.*count, mean, sum"):
        replay_table(table([]), query)


@pytest.mark.parametrize("attribution", ["half", None, 1])
def test_another_attribution_is_refused(attribution):
    with pytest.raises(WrongParameter, match="whole, prorated, start, end"):
        by(attribution)
