"""`replay_table` and `late_table` say exactly what the oracle says, whatever the stream and the question."""

import math
import struct
from collections import Counter

import pytest
from hypothesis import given, settings

from kernels.replay import entry
from schemas.query import Aggregate
from tests.support.local import late_table, replay_table
from tests.support.oracle import oracle
from tests.support.semantics.generate import AGGREGATES, CONTEXT_BOUND, Question, questions
from tests.support.semantics.searching import search_until_nothing_is_missing


def assert_same_rows(found: list[dict], wanted: list[dict], question: Question) -> None:
    """Equal to the last bit; counts, sums and means of shares to 1e-9 of the sum of magnitudes."""
    query = question.query
    rough = [name for name in query.aggregates if query.window.counts_shares]
    assert [_exact(row, rough) for row in found] == [_exact(row, rough) for row in wanted]
    most = {name: 1e-9 * _magnitude(query.aggregates[name], question.rows) for name in rough}
    for row, oracles in zip(found, wanted, strict=True):
        for name in rough:
            assert (row[name] is None) == (oracles[name] is None)
            assert row[name] is None or abs(row[name] - oracles[name]) <= most[name], name


def _magnitude(aggregate: Aggregate, events: list[dict]) -> float:
    if aggregate.function == "count":
        return len(events)
    return math.fsum(abs(event[aggregate.columns[0]] or 0.0) for event in events)


def _exact(row: dict, rough: list[str]) -> dict:
    """Floats as their bits, so that −0.0 is not 0.0."""
    return {
        name: struct.pack("d", value) if isinstance(value, float) else value
        for name, value in row.items()
        if name not in rough
    }


FIRINGS = {"final": {"final"}, "watermark": {"on_time", "late"}, "arrival": {"early", "late"}}
KINDS = ("tumbling", "sliding", "spanning", "calendar", "rolling")
OF_ALL = {
    *("revised", "null key", "where"),
    *((emit, firing) for emit, firings in FIRINGS.items() for firing in firings),
}
FEATURES = {
    **dict.fromkeys(KINDS, {*OF_ALL, *AGGREGATES, "first row late", "missed one", "missed several", "no rows"}),
    **dict.fromkeys(CONTEXT_BOUND, {*OF_ALL, "no more", "late", "too late"}),
}
FEATURES["tumbling"] = FEATURES["tumbling"] - {"missed several"}
FEATURES["spanning"] = FEATURES["spanning"] | {"too long"}


@pytest.mark.slow  # it takes many questions until each feature came in one
@pytest.mark.parametrize("kind", [*KINDS, *(pytest.param(each, marks=pytest.mark.nightly) for each in CONTEXT_BOUND)])
def test_random_questions_have_the_oracles_answers(kind, monkeypatch):
    """And they reach every pane of every emit, revisions, every kind of late row, null keys, each aggregate."""
    monkeypatch.setattr(entry, "LEAST_FORGOTTEN", 1)  # what is final of context-bound windows goes after each tuple
    reached = Counter()

    @settings(max_examples=(2 if kind in KINDS else 1) * settings.default.max_examples)  # so that rare features come
    @given(questions(kinds=(kind,)))
    def ask(question: Question) -> None:
        rows, late = check_rows(question), check_late(question)
        reached.update(_features(question, rows, late))

    search_until_nothing_is_missing(ask, lambda: FEATURES[kind] - set(reached))


def check_rows(question: Question) -> list[dict]:
    found = replay_table(question.table, question.query, question.complete, idle_after=question.idle_after)
    wanted = oracle.replay(question.rows, question.query, question.complete, question.idle_after)
    assert_same_rows(found.to_pylist(), wanted, question)
    return wanted


def check_late(question: Question) -> list[dict]:
    found = late_table(question.table, question.query, question.complete, idle_after=question.idle_after)
    wanted = oracle.late(question.rows, question.query, question.complete, question.idle_after)
    assert found.to_pylist() == wanted
    return wanted


def _features(question: Question, rows: list[dict], late: list[dict]):
    query = question.query
    yield from ((query.emit, row["pane"]) for row in rows)
    yield from (name for name in query.aggregates if any(row[name] for row in rows))
    yield from ("missed one" if row["windows_missed"] == 1 else "missed several" for row in late)
    yield from ("no more" for row in rows if row["events"] == 0)
    yield from ("late" for row in rows if row["late_events"] > 0)
    yield from (row["reason"] for row in late)
    yield from ("revised" for row in rows if row["revision"] > 0)
    yield from ("first row late" for row in rows if row["revision"] == 0 and row["pane"] == "late")
    yield from ("null key" for row in rows for column in query.key if row[column] is None)
    yield "where" if rows and query.where else "rows" if rows else "no rows"
