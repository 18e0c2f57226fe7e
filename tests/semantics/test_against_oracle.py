"""`replay_table` and `late_table` say exactly what the oracle says, whatever the stream and the question. Laws 3 and 4
of semantics §4 follow, and that neither a table's order nor other keys matter; below are laws whatever the oracle says.
"""

import math
import struct
from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.local import late_table, replay_table
from tests.support.oracle import oracle
from tests.support.semantics.generate import AGGREGATES, CONTEXT_BOUND, Question, questions, to_table
from tests.support.semantics.searching import search_until_nothing_is_missing
from windrow.kernels import entry
from windrow.schemas.query import Aggregate, Query, sliding


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


CONTEXT_FREE = ("tumbling", "sliding", "spanning", "rolling", "calendar")
COUNTS = ("events", "late_events")
FEWER = settings(max_examples=settings().max_examples // 3)  # each example replays several times
of_context = [pytest.param((each,), marks=pytest.mark.slow, id=each) for each in CONTEXT_BOUND]
each_kind = pytest.mark.parametrize("kinds", [pytest.param(CONTEXT_FREE, id="context-free"), *of_context])


def rows_of(question: Question, **changes) -> pa.Table:
    """The rows of a question, with fields of its query changed."""
    return replay_table(question.table, replace(question.query, **changes), question.complete)


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
