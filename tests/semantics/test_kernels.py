"""Every kernel that a replay can be given, by name or by its events, gives the oracle's rows."""

from dataclasses import replace
from datetime import timedelta
from itertools import accumulate

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.semantics.test_against_oracle import assert_same_rows
from tests.support.local import replay_table
from tests.support.oracle import oracle
from tests.support.semantics.generate import Question, questions
from tests.support.semantics.queries import MINUTE, ask
from tests.support.semantics.spec_tables import events, table
from windrow.kernels import entry
from windrow.kernels.aggregators import kernels, window_class
from windrow.kernels.api import KERNELS
from windrow.pipelines.replay.events_by_key import QueryEvents
from windrow.pipelines.replay.replay_events import replay_events
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.replay.watermark import ticks_of_events
from windrow.schemas.errors import BadInput, NotServed, WrongParameter
from windrow.schemas.query import agg, rolling, sliding, tumbling

pytestmark = pytest.mark.slow

KINDS = ("tumbling", "sliding", "rolling", "calendar")
OF_SPANS = ("se_slicing", "se_ml_slicing", "tuple_buckets", "aggregate_buckets")
"""Kernels of events that last that serve sums of floats: the sweeping ones take inverses or selective aggregates."""
FOREVER = timedelta(days=3650)
EXACT = ("rows", "bikes_known", "bikes_sum", "bikes_mean", "hubs")
LATE = table(
    events("""
    key | start | arrival | value
    a   | 10:01 | 10:02   | 3
    b   | 10:05 | 10:06   | 1
    b   | 10:04 | 10:07   | 4
    """)
)


def in_order(question: Question) -> Question:
    """The same arrivals, with starts in their order."""
    arriving = sorted(question.rows, key=lambda row: (row["arrival"], row["seq"]))
    starts = sorted(row["start"] for row in arriving)
    rows = [{**row, "start": start, "end": start} for row, start in zip(arriving, starts, strict=True)]
    return question._replace(rows=rows)


def narrowed(question: Question, kernel: str | None) -> Question:
    """Only aggregates that the kernel can have."""
    if kernel != "subtract_on_evict":
        return question
    kept = {name: each for name, each in question.query.aggregates.items() if name in EXACT}
    return question._replace(query=replace(question.query, aggregates=kept))


def assert_answers(question: Question, kernel: str | None) -> None:
    found = replay_table(question.table, question.query, question.complete, kernel).to_pylist()
    assert_same_rows(found, oracle.replay(question.rows, question.query, question.complete), question)


def in_time(question: Question, emit: str) -> Question:
    """With the least lateness that no event exceeds."""
    arriving = sorted(question.rows, key=lambda row: (row["arrival"], row["seq"]))
    newest = accumulate((row["start"] for row in arriving), max)
    lateness = max(before - row["start"] for before, row in zip(newest, arriving, strict=True))
    return question._replace(query=replace(question.query, lateness=lateness, emit=emit))


def in_late_bursts(question: Question, ticks: int) -> Question:
    """The same events behind one far ahead, of one key, all of them at a few ticks; none is too late."""
    latest = max(row["arrival"] for row in question.rows)
    bursts = [row | {"arrival": latest + timedelta(hours=1 + place % ticks)} for place, row in enumerate(question.rows)]
    youngest = max(row["start"] for row in question.rows) + timedelta(days=400)
    first = question.rows[0] | {"start": youngest, "end": youngest, "arrival": latest, "seq": -1}
    allowed = max(question.query.allowed_lateness, FOREVER)
    return question._replace(
        rows=[first, *bursts], query=replace(question.query, key=(), where=(), allowed_lateness=allowed)
    )


@pytest.mark.few(4)
@pytest.mark.parametrize("kernel", [None, *kernels(), *OF_SPANS])
def test_a_kernel_by_name_gives_the_oracles_rows(kernel, monkeypatch):
    """Also where walks make a front at once: else that takes 33 windows in a row, which random streams hardly have."""

    @settings(max_examples=2 * settings.default.max_examples)
    @given(questions(("spanning",) if kernel in OF_SPANS else KINDS), st.booleans(), st.sampled_from((0, 0, 32)))
    def ask_it(question, sort, patience):
        monkeypatch.setattr(entry, "LEAST_PATIENCE", patience)
        question = narrowed(question, kernel)
        if kernel not in OF_SPANS and (sort or (kernel and window_class(kernel).IN_ORDER_ONLY)):
            question = in_order(question)
        assert_answers(question, kernel)

    ask_it()


SHAPES = {
    "in time": (("rolling",), lambda question, chance: in_time(question, ("final", "watermark")[chance % 2])),
    **{f"late {kind}": ((kind,), lambda question, chance: in_late_bursts(question, 1 + chance))
       for kind in ("sliding", "rolling", "spanning", "calendar")},
}  # fmt: skip


@pytest.mark.few(2)
@pytest.mark.parametrize("shape", SHAPES)
def test_streams_of_another_shape_have_the_oracles_rows(shape):
    kinds, shaped = SHAPES[shape]

    @settings(max_examples=2 * settings.default.max_examples)
    @given(questions(kinds).filter(lambda question: len(question.rows) >= 5), st.integers(0, 2))
    def ask_it(question, chance):
        assert_answers(shaped(question, chance), None)

    ask_it()


def kernels_of(rows: pa.Table, query, kernel: str | None = None) -> dict[str, int]:
    arrival, start = (rows[name].cast(pa.int64()).to_numpy() for name in ("arrival", "start"))
    of, parts = QueryEvents.of(rows, query), [ServedQuery.of(query, kernel)]
    return dict(replay_events(of, parts, ticks_of_events(arrival, start)).kernels)


def test_each_key_is_replayed_by_what_its_events_ask_for():
    query = ask(tumbling(MINUTE), "watermark")
    assert kernels_of(LATE, query) == {"finger_tree": 2}
    assert kernels_of(LATE, query, kernel="recompute") == {"recompute": 2}
    assert kernels_of(LATE.slice(0, 2), query, kernel="daba_lite") == {"daba_lite": 2}
    assert kernels_of(LATE.slice(0, 0), query) == {}


@pytest.mark.parametrize(
    ("window", "emit", "wanted"),
    [
        (rolling(MINUTE), "watermark", "sorted_stacks"),
        (rolling(MINUTE), "final", "sorted_stacks"),
        (rolling(MINUTE), "arrival", "finger_tree"),
        (sliding(2 * MINUTE, MINUTE), "watermark", "finger_tree"),
        (tumbling(MINUTE), "final", "finger_tree"),
    ],
    ids=str,
)
def test_only_rolling_windows_of_keys_in_time_are_made_at_once(window, emit, wanted):
    query = ask(window, emit, aggregates={"x": agg("sum", "value")})
    assert set(kernels_of(LATE.slice(0, 2), query)) == {wanted}


@pytest.mark.parametrize("kernel", [each for each in kernels() if window_class(each).IN_ORDER_ONLY])
def test_a_kernel_for_events_in_order_refuses_others_and_names_the_event(kernel):
    with pytest.raises(
        BadInput,
        match="an event of key='b' that starts at 2024-03-01 10:04:00 UTC arrived after "
        rf"one that starts at 2024-03-01 10:05:00 UTC: {kernel} takes a key's events in order",
    ):
        replay_table(LATE, ask(tumbling(MINUTE), aggregates={}), kernel=kernel)


def test_what_a_named_kernel_cannot_do_is_refused():
    with pytest.raises(WrongParameter, match="aggregate of subtract_on_evict is 'max of int64'"):
        replay_table(LATE, ask(tumbling(MINUTE), aggregates={"x": agg("max", "value")}), kernel="subtract_on_evict")
    with pytest.raises(NotServed, match="kernel for tumbling windows 'se_slicing'"):
        replay_table(LATE, ask(tumbling(MINUTE)), kernel="se_slicing")
    with pytest.raises(WrongParameter, match="options of daba_lite: none"):
        replay_table(LATE, ask(tumbling(MINUTE)), kernel="daba_lite", options={"min_arity": 4})
    with pytest.raises(NotServed, match="kernel 'sorted_stacks'"):
        replay_table(LATE, ask(rolling(MINUTE)), kernel="sorted_stacks")
    assert set(kernels()) < set(KERNELS)
