"""What must hold of any replay, whatever the oracle says: the laws of semantics §4 and §5 on random questions."""

import random
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from schemas.query import Query, sliding
from tests.semantics.test_against_oracle import check_rows
from tests.support.local import late_table, replay_table
from tests.support.semantics.generate import CONTEXT_BOUND, Question, questions, to_table

CONTEXT_FREE = ("tumbling", "sliding", "spanning", "rolling", "calendar")
COUNTS = ("events", "late_events")
FEWER = settings(max_examples=settings().max_examples // 3)  # each example replays several times
of_context = [pytest.param((each,), marks=pytest.mark.slow, id=each) for each in CONTEXT_BOUND]
each_kind = pytest.mark.parametrize("kinds", [pytest.param(CONTEXT_FREE, id="context-free"), *of_context])


def rows_of(question: Question, **changes) -> pa.Table:
    """The rows of a question, with fields of its query changed."""
    return replay_table(question.table, replace(question.query, **changes), question.complete)


@FEWER
@given(questions(), st.randoms())
def test_the_order_of_the_rows_in_the_table_does_not_matter(question, randomness: random.Random):
    """Equal to the last bit, floats included: the order of arrival is (arrival, seq), not the table's."""
    order = randomness.sample(range(len(question.rows)), len(question.rows))
    shuffled = question.table.take(pa.array(order, pa.int64()))
    assert replay_table(shuffled, question.query, question.complete).equals(rows_of(question))
    assert late_table(shuffled, question.query).equals(late_table(question.table, question.query))


@FEWER
@given(questions())
def test_a_key_has_the_same_rows_without_the_other_keys(question):
    """Equal to the last bit: `where` leaves the watermark alone, so the other keys can be filtered away."""
    question = question._replace(query=replace(question.query, key=("hub",)))
    whole, late = rows_of(question), late_table(question.table, question.query)
    for hub in ("a", "b", None):
        only = (("hub", "is_null", None) if hub is None else ("hub", "==", hub), *question.query.where)
        mine = pc.is_null(whole["hub"]) if hub is None else pc.equal(whole["hub"], hub)
        assert rows_of(question, where=only).equals(whole.filter(mine))
        mine = pc.is_null(late["hub"]) if hub is None else pc.equal(late["hub"], hub)
        assert late_table(question.table, replace(question.query, where=only)).equals(late.filter(mine))


@each_kind
def test_a_row_uses_only_what_had_arrived(kinds):
    """The rows emitted by a tick are, bit for bit, those of the stream cut off after it, however revised since."""

    @settings(max_examples=FEWER.max_examples if kinds is CONTEXT_FREE else 112)
    @given(questions(kinds), st.integers(0, 40))
    def hold(question, place):
        assume(question.rows)
        time = question.rows[place % len(question.rows)]["arrival"]
        arrived = to_table([row for row in question.rows if row["arrival"] <= time])
        whole = replay_table(question.table, question.query)
        emitted = pc.less_equal(whole["emitted_at"], pa.scalar(time))
        assert replay_table(arrived, question.query).equals(whole.filter(emitted))

    hold()


@FEWER
@given(questions())
def test_laws_3_and_4_rows_count_what_had_arrived_and_revisions_follow_without_a_gap(question):
    """As those of the oracle do, row for row."""
    check_rows(question)


@each_kind
def test_law_5_the_newest_revision_of_a_finished_window_is_its_final_row(kinds):
    """Bit for bit; a window that is no more has neither."""

    @settings(max_examples=FEWER.max_examples if kinds is CONTEXT_FREE else settings().max_examples // 2)
    @given(questions(kinds), st.sampled_from(("watermark", "arrival")))
    def hold(question, emit):
        query = replace(question.query, emit=emit)
        assume(query.window.kind != "rolling" or emit != "arrival")
        newest, final = (_by_window(question, each) for each in (query, replace(query, emit="final")))
        assert final.items() <= newest.items()
        assert not question.complete or len(final) == len(newest)

    hold()


def _by_window(question: Question, query: Query) -> dict[tuple, tuple]:
    """The newest row of each window that still exists."""
    rows = replay_table(question.table, query, question.complete).to_pylist()
    names = (*COUNTS, *query.aggregates)
    newest = {tuple(row[name] for name in query.window_identity): row for row in rows}
    return {window: tuple(row[name] for name in names) for window, row in newest.items() if row["events"]}


@FEWER
@given(questions(kinds=("calendar",)))
def test_utc_as_a_zone_is_no_zone(question):
    window = question.query.window
    slide = getattr(window, "slide", window.size)
    with_zone, without = sliding(window.size, slide, zone="UTC"), sliding(window.size, slide)
    assert rows_of(question, window=with_zone).equals(rows_of(question, window=without))
    late = [late_table(question.table, replace(question.query, window=each)) for each in (with_zone, without)]
    assert late[0].equals(late[1])
