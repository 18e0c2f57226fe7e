"""A model's rows: those of its query, and what the function says of exactly the events that each row covers."""

import struct
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.local import replay_table
from tests.support.models import of_function
from tests.support.oracle import oracle
from tests.support.semantics.generate import Question, questions, to_table
from tests.support.semantics.queries import ask
from tests.support.semantics.searching import search_until_nothing_is_missing
from windrow.schemas.errors import NotServed, WrongParameter
from windrow.schemas.model import HeavyCall, Model, heavy
from windrow.schemas.query import rolling, sliding, spanning, tumbling

KINDS = ("tumbling", "sliding", "calendar")
CALLS = (
    heavy("quantiles", "weight", probabilities=(0.0, 0.3, 1.0)),
    heavy("median_deviation", "bikes", least=1),
    heavy("polynomial_fit", "rough", degree=1),
    heavy("polynomial_fit", "bikes", "size", degree=0),
    heavy("skyline", "bikes", "weight"),
    heavy("autoregression", "weight", order=1),
)
FEATURES = {"ok", "too few tuples", "revised", "late", "without a value", "final", "early", "on_time"}
HOUR = timedelta(hours=1)


def model_of(question: Question, call: HeavyCall) -> Model:
    asked = question.query
    shared = {name: getattr(asked, name) for name in ("stream", "key", "window", "lateness", "allowed_lateness")}
    return Model(
        name="farm_random", aggregates=asked.aggregates, function=call, emit=asked.emit, where=asked.where, **shared
    )


def bits(row: dict, names: list[str]) -> list[object]:
    """Floats as their bits, NaN and null as None."""
    values = [row[name] for name in names]
    return [None if value is None or value != value else struct.pack("d", value) if isinstance(value, float) else value
            for value in values]  # fmt: skip


@pytest.mark.slow
def test_each_row_has_what_the_function_says_of_its_events():
    """Whatever is late, early, filtered out, without a value, or in a second revision."""
    reached = Counter()

    @given(questions(kinds=KINDS), st.sampled_from(CALLS))
    def ask(question: Question, call: HeavyCall) -> None:
        model = model_of(question, call)
        found = replay_table(question.table, model, question.complete).to_pylist()
        plain = replay_table(question.table, question.query, question.complete).to_pylist()
        own = list(found[0])[-(len(found[0]) - len(plain[0])) :] if found else []
        assert [{name: row[name] for name in row if name not in own} for row in found] == plain
        pairs = oracle.contents(question.rows, question.query, question.complete)
        for row, (_, held) in zip(found, pairs, strict=True):
            assert bits(row, own) == bits(of_function(model, row, held), own)
            reached.update(_features(row))

    search_until_nothing_is_missing(ask, lambda: FEATURES - set(reached))


def _features(row: dict):
    yield from (row["status"], row["pane"])
    yield from ["revised"] * (row["revision"] > 0) + ["without a value"] * (row["tuples"] < row["events"])


def event(minute: int, value: float | None, arrived: int | None = None, seq: int = 0) -> dict:
    first = datetime(2024, 3, 1, 10, tzinfo=UTC)
    start = first + timedelta(minutes=minute)
    arrival = start if arrived is None else first + timedelta(minutes=arrived)
    plain = {"hub": "a", "dock": 1, "bikes": None, "rough": None, "size": None}
    return {**plain, "start": start, "end": start, "arrival": arrival, "seq": seq, "weight": value}


HALVES = Model(
    name="farm_halves",
    stream="random",
    key=("hub",),
    window=tumbling(HOUR),
    function=heavy("quantiles", "weight", probabilities=(0.5,)),
    lateness=timedelta(0),
    allowed_lateness=HOUR,
)


def test_no_events_give_no_rows_with_the_models_columns():
    none = replay_table(to_table([]), HALVES)
    one = replay_table(to_table([event(0, 1.0)]), HALVES, complete=True)
    assert (none.num_rows, none.schema) == (0, one.schema)
    assert one.column_names[-3:] == ["tuples", "status", "p50"]


def test_where_a_day_is_skipped_an_event_may_miss_one_of_two_windows_that_begin_at_once():
    """Samoa had no 2011-12-30: windows of two days begin at its midnight and at the next one, which are one time."""
    start = datetime(2011, 12, 30, 11, tzinfo=UTC)
    on_time = [start - timedelta(days=3) + timedelta(hours=6 * number) for number in range(30)]
    late = [start + timedelta(days=1, hours=1 + 3 * number) for number in range(32)]
    times = sorted([(each, each) for each in on_time] + [(start, each) for each in late], key=lambda pair: pair[1])
    rows = [{**event(0, float(seq), seq=seq), "start": begins, "end": begins, "arrival": arrives}
            for seq, (begins, arrives) in enumerate(times)]  # fmt: skip
    samoa = sliding(timedelta(days=2), timedelta(days=1), zone="Pacific/Apia")
    model = replace(HALVES, window=samoa, allowed_lateness=timedelta(0))
    found = replay_table(to_table(rows), model, complete=True).to_pylist()
    pairs = oracle.contents(rows, model, complete=True)
    assert [row["tuples"] for row in found] == [len(held) for _, held in pairs]
    assert len({row["window_start"] for row in found}) < len(found)


def test_an_output_with_the_name_of_a_key_is_refused():
    table = to_table([event(0, 1.0)]).rename_columns({"dock": "p50"})
    with pytest.raises(WrongParameter, match="outputs of quantiles is 'p50'.*no other column"):
        replay_table(table, replace(HALVES, key=("p50",)))


def test_a_plain_query_has_no_workers():
    with pytest.raises(WrongParameter, match="workers"):
        replay_table(
            to_table([event(0, 1.0)]), ask(tumbling(HOUR), key=("hub",), aggregates={}), options={"workers": 2}
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *(({"window": window}, f"window of a model is '{window.kind}'.*tumbling and sliding")
          for window in (rolling(HOUR), spanning(HOUR, HOUR, longest=HOUR))),
        ({"function": heavy("quantiles", "hub")}, "hub of type (large_string|string).*a column of numbers"),
        ({"function": heavy("quantiles", "arrival")}, "arrival of type timestamp.*a column of numbers"),
        ({"function": heavy("quantile", "weight")}, "function 'quantile'.*quantiles"),
        ({"function": heavy("quantiles", "weight", probabilities=(2.0,))},
         "probabilities of quantiles is .*from 0.0 to 1.0"),
        ({"function": heavy("quantiles", "weight", "bikes")}, "columns of quantiles is .*1 of them, for value"),
        ({"function": heavy("skyline", "weight")}, "columns of skyline is .*2 of them, for x, y"),
        ({"function": heavy("quantiles", "weight", chance=0.5)}, "parameters of quantiles is 'chance'.*probabilities"),
        ({"function": "quantiles"}, "function is 'quantiles'.*heavy"),
        ({"seconds_a_window": 0}, "seconds_a_window is 0"),
        ({"key": ("status",)}, "name is 'status'"),
    ],
)  # fmt: skip
def test_a_model_that_can_not_be_is_refused(changes, message):
    with pytest.raises((WrongParameter, NotServed), match=message):
        replay_table(to_table([event(0, 1.0)]), replace(HALVES, **changes))


def test_a_function_needs_columns():
    with pytest.raises(WrongParameter, match="columns of quantiles"):
        heavy("quantiles")
