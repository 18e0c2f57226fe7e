"""Windows that depend on their key's other events: what was known at a time, however they were revised since, and what
turned out to be true."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.local import replay_table
from tests.support.semantics.generate import CONTEXT_BOUND, questions
from tests.support.semantics.known import assert_only_what_had_arrived

TIMES = 1_000
pytestmark = pytest.mark.slow  # two replays for each time


@pytest.mark.nightly
@pytest.mark.parametrize("kind", CONTEXT_BOUND)
def test_at_1_000_times_it_is_what_a_replay_of_the_stream_up_to_then_says(kind):
    @settings(max_examples=-(-TIMES // len(CONTEXT_BOUND)))
    @given(questions(kinds=(kind,)), st.integers(0, 40))
    def ask(question, place):
        assert_only_what_had_arrived(question, question.rows[place % len(question.rows)]["arrival"])

    ask()


@pytest.mark.parametrize("kind", CONTEXT_BOUND)
def test_the_newest_revisions_of_windows_that_still_exist_are_the_final_rows(kind):
    @settings(max_examples=settings.default.max_examples // 2)
    @given(questions(kinds=(kind,)), st.sampled_from(("watermark", "arrival")))
    def ask(question, emit):
        query = replace(question.query, emit=emit)
        identity = query.window_identity
        newest = {tuple(row[name] for name in identity): row
                  for row in replay_table(question.table, query, complete=True).to_pylist()}  # fmt: skip
        final = replay_table(question.table, replace(query, emit="final"), complete=True).to_pylist()
        compared = (*identity, "events", "late_events", *query.aggregates)
        expected = [tuple(row[name] for name in compared) for row in final]
        assert [tuple(row[name] for name in compared) for row in newest.values() if row["events"]] == expected

    ask()
