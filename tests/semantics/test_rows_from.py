"""Rows before a tick are counted and not made: those from it on are the same, to the last bit, with their revisions."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.replay.replay_events import replay_events
from pipelines.replay.specifications import ServedQuery
from pipelines.rows.arrays import stored
from schemas.errors import TooManyRows
from schemas.query import Query, agg, sliding
from tests.semantics.test_carried_state import validated
from tests.support.semantics.generate import questions
from tests.support.semantics.queries import MINUTE, ask
from tests.support.semantics.spec_tables import events, table


def replayed(rows: pa.Table, query: Query, complete: bool, rows_from_us: int | None = None, **options: int) -> pa.Table:
    ours, ticks = validated(rows, query)
    last_us = int(stored(ours["arrival"]).max()) if complete and len(ours) else None
    served = ServedQuery.of(query)
    rules = served.rules(last_us)._replace(rows_from_us=rows_from_us)
    return replay_events(ours, served, ticks, rules, options=options).rows


def from_tick(rows: pa.Table, tick_us: int) -> pa.Table:
    return rows.filter(pc.greater_equal(rows["emitted_at"].cast(pa.int64()), tick_us))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tumbling", "sliding", "rolling", "calendar", "spanning"])
def test_rows_from_a_tick_on_are_those_of_all_rows(kind):
    @given(questions((kind,)), st.floats(0, 1))
    def compare(question, share):
        asked = question.table, question.query, question.complete
        every = replayed(*asked)
        ticks_us = sorted(every["emitted_at"].cast(pa.int64()).to_pylist())
        for tick_us in {ticks_us[int(share * (len(ticks_us) - 1))], ticks_us[-1] + 1} if ticks_us else {0}:
            wanted = from_tick(every, tick_us)
            assert list(map(repr, replayed(*asked, tick_us).to_pylist())) == list(map(repr, wanted.to_pylist()))

    compare()


def test_rows_that_are_not_made_are_not_counted_against_the_limit():
    rows = events("""
    key | start | arrival | value
    a   | 10:00 | 10:01   | 1
    a   | 11:00 | 11:01   | 1
    a   | 12:00 | 12:01   | 1
    """)
    asked = table(rows), ask(sliding(10 * MINUTE, MINUTE), aggregates={"rows": agg("count")}), False
    every = replayed(*asked)
    tick_us = max(every["emitted_at"].cast(pa.int64()).to_pylist())
    wanted = len(from_tick(every, tick_us))
    assert 0 < wanted < len(every)
    assert len(replayed(*asked, tick_us, most_rows=wanted)) == wanted
    with pytest.raises(TooManyRows):
        replayed(*asked, tick_us, most_rows=wanted - 1)
