"""Windows that depend on their key's other events: `replay_table` and `late_table` say what the oracle says, which
finds all windows anew after each tick."""

from collections import Counter

import pytest
from hypothesis import given

from kernels.replay import entry
from tests.semantics.test_against_oracle import check_late, check_rows
from tests.support.semantics.generate import CONTEXT_BOUND, Question, questions
from tests.support.semantics.searching import search_until_nothing_is_missing

PANES = {"final": {"final"}, "watermark": {"on_time", "late"}, "arrival": {"early", "late"}}
FEATURES = {
    "revised",
    "no more",
    "late",
    "too late",
    "null key",
    "where",
    *((emit, pane) for emit, panes in PANES.items() for pane in panes),
}


@pytest.fixture(autouse=True)
def lets_go_at_once(monkeypatch):
    """What is final goes after each tuple."""
    monkeypatch.setattr(entry, "LEAST_FORGOTTEN", 1)


@pytest.mark.slow  # it takes many questions until each feature came in one
@pytest.mark.nightly
@pytest.mark.parametrize("kind", CONTEXT_BOUND)
def test_random_questions_have_the_oracles_answers(kind):
    reached = Counter()

    @given(questions(kinds=(kind,)))
    def ask(question: Question) -> None:
        reached.update(_features(question, check_rows(question), check_late(question)))

    search_until_nothing_is_missing(ask, lambda: FEATURES - set(reached))


def _features(question: Question, rows: list[dict], late: list[dict]):
    query = question.query
    yield from ((query.emit, row["pane"]) for row in rows)
    yield from (row["reason"] for row in late)
    yield from ("revised" for row in rows if row["revision"] > 0)
    yield from ("no more" for row in rows if row["events"] == 0)
    yield from ("late" for row in rows if row["late_events"] > 0)
    yield from ("null key" for row in rows for column in query.key if row[column] is None)
    yield "where" if rows and query.where else "rows"
