"""Every kernel that a replay can be given, by name or by its events, gives the oracle's rows."""

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.aggregators import face, kernels
from kernels.replay import KERNELS, entry
from pipelines.local import replay_table
from pipelines.replaying import pass_ticks, replay_events
from schemas.errors import BadInput, NotServed, WrongParameter
from schemas.query import agg, rolling, sliding, tumbling
from tests.semantics import oracle
from tests.semantics.generate import Question, questions
from tests.semantics.queries import MINUTE, ask
from tests.semantics.spec_tables import events, table
from tests.semantics.test_against_oracle import assert_same_rows

KINDS = ("tumbling", "sliding", "rolling", "calendar")
EXACT = ("rows", "bikes_known", "bikes_sum", "bikes_mean", "hubs")
LATE = table(events("""
    key | start | arrival | value
    a   | 10:01 | 10:02   | 3
    b   | 10:05 | 10:06   | 1
    b   | 10:04 | 10:07   | 4
    """))


def in_order(question: Question) -> Question:
    """The same arrivals, with starts in their order."""
    arriving = sorted(question.rows, key=lambda row: (row["arrival"], row["seq"]))
    starts = sorted(row["start"] for row in arriving)
    rows = [{**row, "start": start, "end": start} for row, start in zip(arriving, starts, strict=True)]
    return question._replace(rows=rows)


def narrowed(question: Question, kernel: str) -> Question:
    """Only aggregates that the kernel can have."""
    if kernel != "subtract_on_evict":
        return question
    kept = {name: each for name, each in question.query.aggregates.items() if name in EXACT}
    return question._replace(query=replace(question.query, aggregates=kept))


def assert_answers(question: Question, kernel: str | None) -> None:
    found = replay_table(question.table, question.query, question.complete, kernel).to_pylist()
    assert_same_rows(found, oracle.replay(question.rows, question.query, question.complete), question.rows)


@pytest.mark.parametrize("kernel", kernels())
def test_a_kernel_by_name_gives_the_oracles_rows(kernel):
    @settings(max_examples=settings.default.max_examples)
    @given(questions(KINDS), st.booleans())
    def ask_it(question, sort):
        question = narrowed(question, kernel)
        if sort or face(kernel).IN_ORDER_ONLY:
            question = in_order(question)
        assert_answers(question, kernel)

    ask_it()


@pytest.mark.parametrize("kernel", [None, "recompute", "two_stacks_lite"])
@pytest.mark.parametrize("sort", [False, True])
def test_walks_that_make_a_front_at_once_give_the_oracles_rows(kernel, sort, monkeypatch):
    """Else that takes 33 windows in a row, which random streams hardly have."""
    monkeypatch.setattr(entry, "LEAST_PATIENCE", 0)

    @settings(max_examples=2 * settings.default.max_examples)
    @given(questions(KINDS))
    def ask_it(question):
        assert_answers(in_order(question) if sort else question, kernel)

    if sort or kernel != "two_stacks_lite":
        ask_it()


@given(questions(KINDS))
def test_keys_in_order_are_replayed_by_two_stacks_with_the_oracles_rows(question):
    assert_answers(in_order(question), None)


def kernels_of(rows: pa.Table, query, **named) -> dict[str, int]:
    arrival, start = (rows[name].cast(pa.int64()).to_numpy() for name in ("arrival", "start"))
    return dict(replay_events(rows, query, pass_ticks(arrival, start), **named).kernels)


def test_each_key_is_replayed_by_what_its_events_ask_for():
    query = ask(tumbling(MINUTE), "watermark")
    assert kernels_of(LATE, query) == {"two_stacks_lite": 1, "finger_tree": 1}
    assert kernels_of(LATE, query, kernel="recompute") == {"recompute": 2}
    assert kernels_of(LATE.slice(0, 2), query, kernel="daba_lite") == {"daba_lite": 2}
    assert kernels_of(LATE.slice(0, 0), query) == {}


@pytest.mark.parametrize(("window", "aggregate", "wanted"), [
    (sliding(2 * MINUTE, MINUTE), "last", "finger_tree"), (rolling(MINUTE), "sum", "finger_tree"),
    (sliding(2 * MINUTE, MINUTE), "sum", "two_stacks_lite"), (tumbling(MINUTE), "max", "two_stacks_lite")], ids=str)
def test_two_stacks_hold_panes_and_the_tree_holds_events(window, aggregate, wanted):
    query = ask(window, "arrival", aggregates={"x": agg(aggregate, "value")})
    assert set(kernels_of(LATE.slice(0, 2), query)) == {wanted}


@pytest.mark.parametrize("kernel", [each for each in kernels() if face(each).IN_ORDER_ONLY])
def test_a_kernel_for_events_in_order_refuses_others_and_names_the_event(kernel):
    with pytest.raises(BadInput, match="an event of key='b' that starts at 2024-03-01 10:04:00 UTC arrived after "
                       rf"one that starts at 2024-03-01 10:05:00 UTC: {kernel} takes a key's events in order"):
        replay_table(LATE, ask(tumbling(MINUTE), aggregates={}), kernel=kernel)


def test_what_a_named_kernel_cannot_do_is_refused():
    with pytest.raises(WrongParameter, match="aggregate of subtract_on_evict is 'max of a int64 column'"):
        replay_table(LATE, ask(tumbling(MINUTE), aggregates={"x": agg("max", "value")}), kernel="subtract_on_evict")
    with pytest.raises(NotServed, match="kernel for tumbling windows is 'se_slicing'"):
        replay_table(LATE, ask(tumbling(MINUTE)), kernel="se_slicing")
    with pytest.raises(WrongParameter, match="options of daba_lite: none"):
        replay_table(LATE, ask(tumbling(MINUTE)), kernel="daba_lite", options={"min_arity": 4})
    with pytest.raises(NotServed, match="kernel is 'rank_tree'"):
        replay_table(LATE, ask(rolling(MINUTE)), kernel="rank_tree")
    assert set(kernels()) < set(KERNELS)
