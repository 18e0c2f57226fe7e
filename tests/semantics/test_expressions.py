"""Expressions in queries: what a text means is told apart from the parser and from each evaluator; replays with filters
and expressions are those of the oracle over columns that hold what these give."""

import math
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import product
from typing import NamedTuple

import duckdb
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.semantics.test_against_oracle import assert_same_rows
from tests.support.local import replay_table
from tests.support.oracle import oracle
from tests.support.semantics.expressions import (
    SIGNS,
    Beyond,
    Columns,
    Meant,
    column,
    compared,
    conditions,
    constant,
    numbers,
)
from tests.support.semantics.generate import CONTEXT_BOUND, Question, questions
from tests.support.semantics.queries import HOUR, ask
from tests.support.semantics.searching import search_until_nothing_is_missing
from tests.support.semantics.spec_tables import events, table
from windrow.kernels.api import make
from windrow.pipelines.gate.recount import expressions as in_duckdb
from windrow.pipelines.gate.recount.plain import expressions as in_python
from windrow.pipelines.replay.expressions import AskedRows, evaluate, rows_that_pass
from windrow.schemas.errors import BadInput, WrongParameter
from windrow.schemas.expression_text import parse
from windrow.schemas.query import Aggregate, agg, tumbling

BIG = 2**53
MOMENT = datetime(2024, 3, 1, 10, tzinfo=UTC)
WHOLE = [0, 1, -1, 2, 3, None, BIG, BIG + 1, 2**62, 2**63 - 1, -(2**63), 7]
REAL = [0.0, -0.0, 0.5, None, 1.5, float(BIG), 2.0**63, -(2.0**63), 1e308, 5e-324, 1e3, -2.0]
KINDS = {
    "i": (pa.int64(), WHOLE),
    "j": (pa.int64(), WHOLE[::-1]),
    "f": (pa.float64(), REAL),
    "g": (pa.float64(), [*REAL[5:], *REAL[:5]]),
    "s": (pa.string(), ["a", "b", None, "", "it's", "é", "\U0001f6b2", "￿", "B", "a", '"', "$x`\\!"]),
    "r": (pa.string(), ["a", "a", "a", None, "b", "￿", "é", "é", "b", "", '"', "x"]),
    "b": (pa.bool_(), [True, False, None] * 4),
    "c": (pa.bool_(), [True] * 4 + [False] * 4 + [None] * 4),
    "t": (pa.timestamp("us", "UTC"), [MOMENT, None, MOMENT.replace(microsecond=500_000)] * 4),
    "u": (pa.timestamp("us", "UTC"), [MOMENT] * 6 + [MOMENT.replace(second=1)] * 6),
    "d": (pa.date32(), [date(2024, 2, 29), None, date(1969, 12, 31), date(1, 1, 1)] * 3),
    "e": (pa.date32(), [date(2024, 2, 29)] * 12),
}
EVENTS = pa.table({name: pa.array(values, type_) for name, (type_, values) in KINDS.items()})
ROWS = EVENTS.to_pylist()
WIDE = Columns(
    ("i", "j"), ("f", "g"), ("s", "r"), ("b", "c"), ("t", "u"), ("d", "e"),
    (*(value for value in WHOLE if value is not None), 10),
    tuple(value for value in REAL if value is not None and math.copysign(1, value) > 0),
)  # fmt: skip


def meanings(meant: Meant, lenient: bool) -> dict[int, object]:
    """What a text means of each row, by its number, but of those of which it means nothing."""
    found = {}
    for place, row in enumerate(ROWS):
        with suppress(Beyond):
            found[place] = meant.of(row, lenient)
    return found


def bits(values: Iterable) -> list:
    return [each.hex() if isinstance(each, float) else each for each in values]


def asked_of(meant: Meant) -> dict[int, object]:
    wanted, tree = meanings(meant, lenient=False), parse(meant.text)
    assert bits(evaluate(tree, AskedRows(EVENTS.take(pa.array(wanted, pa.int64())))).to_pylist()) == bits(
        wanted.values()
    )
    assert bits(in_python.evaluate(tree, ROWS[place]) for place in wanted) == bits(wanted.values())
    for place in {*range(len(ROWS))} - {*wanted}:
        with pytest.raises(BadInput, match="beyond int64|no finite float64"):
            evaluate(tree, AskedRows(EVENTS.slice(place, 1)))
    return wanted


MANY = settings(max_examples=12 * settings.default.max_examples)  # each is quick


@MANY
@given(numbers(WIDE))
def test_arithmetic_is_exact_in_int64_or_of_floats_and_nothing_wraps(meant):
    asked_of(meant)


@MANY
@given(conditions(WIDE))
def test_a_condition_is_true_false_or_unknown_as_in_sql_and_compares_exact_values(meant):
    wanted = asked_of(meant)
    passes = rows_that_pass(EVENTS.take(pa.array(wanted, pa.int64())), parse(meant.text)).tolist()
    assert passes == [each is True for each in wanted.values()]


@pytest.fixture(scope="module")
def database():
    with duckdb.connect() as connection:
        numbered = EVENTS.append_column("place", pa.array(range(len(ROWS))))
        connection.register("numbered", numbered)
        connection.execute("CREATE TABLE events AS FROM numbered")
        yield connection


def test_duckdb_says_the_same_and_null_of_an_integer_beyond_int64(database):
    types = in_duckdb.types_of(database, "events")

    @MANY
    @given(numbers(WIDE) | conditions(WIDE))
    def ask(meant: Meant) -> None:
        wanted = meanings(meant, lenient=True)
        asked = in_duckdb.in_sql(parse(meant.text), "e", types)
        found = database.execute(f"SELECT {asked} FROM events e ORDER BY place").fetchall()
        assert bits(found[place][0] for place in wanted) == bits(wanted.values())

    ask()


SIDES = [
    column("i"),
    column("j"),
    column("f"),
    column("g"),
    *(constant(repr(each), each) for each in (2.0**63, BIG + 1)),
]


@pytest.mark.parametrize("sign", SIGNS)
def test_numbers_of_all_types_are_compared_exactly_on_both_sides(sign, database):
    """On rows of which each pairs one of the first column's values with one of the second's."""
    for left, right in product(SIDES, repeat=2):
        meant = compared(left, sign, right)
        pairs = [{**row, **{name: other[name] for name in ("j", "g")}} for row, other in product(ROWS, repeat=2)]
        wanted, tree = [meant.of(row, False) for row in pairs], parse(meant.text)
        events = pa.Table.from_pylist(pairs, EVENTS.schema)
        assert evaluate(tree, AskedRows(events)).to_pylist() == wanted, meant.text
        asked = in_duckdb.in_sql(tree, "e", in_duckdb.types_of(database, "events"))
        database.register("pairs", events)
        assert [held for (held,) in database.execute(f"SELECT {asked} FROM pairs e").fetchall()] == wanted, meant.text


OF_STREAM = Columns(("bikes", "dock"), ("weight",), ("hub",), times=("start", "end"))
FUNCTIONS = ("sum", "mean", "min", "max", "count", "first", "last", "longest_run", "argmax", "any", "quantile")
OF_SHARES = ("sum", "mean", "count")


class Read(NamedTuple):
    """An aggregate of an expression and a filter, where it has them, and what a column would hold in their place."""

    function: str
    value: Meant | None
    where: Meant | None

    def of(self, row: dict) -> object:
        if self.where is not None and self.where.of(row, False) is not True:
            return None
        return 1 if self.value is None else self.value.of(row, False)

    def asked(self) -> Aggregate:
        return agg(self.function, *self.columns("hub"), where=None if self.where is None else self.where.text)

    def columns(self, second: str) -> tuple[str, ...]:
        value = () if self.value is None else (self.value.text,)
        return (*value, second) if self.function == "argmax" else value


@st.composite
def reads(draw, functions: tuple[str, ...]) -> list[Read]:
    found = []
    for function in draw(st.lists(st.sampled_from(functions), min_size=1, max_size=3)):
        where = draw(st.none() | conditions(OF_STREAM))
        value = None if function == "count" and draw(st.booleans()) else draw(numbers(OF_STREAM))
        found.append(Read(function, value, where))
    return found


def of_columns(question: Question, asked: list[Read], passes: Meant) -> Question:
    """The question of columns that hold what expressions and filters give."""
    rows, aggregates = [], {}
    for row in question.rows:
        with_hubs = {f"hub_{n}": row["hub"] if each.of(row) is not None else None for n, each in enumerate(asked)}
        values = {f"value_{n}": each.of(row) for n, each in enumerate(asked)}
        rows.append({**row, **values, **with_hubs, "passes": passes.of(row, False)})
    for n, each in enumerate(asked):
        plain = each.value is None and each.where is None
        columns = () if plain else (f"value_{n}", *([f"hub_{n}"] if each.function == "argmax" else []))
        aggregates[f"a{n}"] = agg(each.function, *columns)
    query = replace(question.query, aggregates=aggregates, where=(("passes", "==", True),))
    return question._replace(rows=rows, query=query)


ALWAYS = constant("true OR FALSE", True)
POINTS, DEPENDENT = ("tumbling", "sliding", "rolling", "calendar"), tuple(CONTEXT_BOUND)


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [POINTS, ("spanning",), DEPENDENT], ids=["points", "spans", "context-bound"])
def test_filters_and_expressions_are_as_columns_that_hold_what_they_give(kinds):
    """Events that a filter leaves out are absent; `where` leaves them out of all, and they move the watermark."""
    answered = Counter()
    functions = {POINTS: FUNCTIONS, DEPENDENT: FUNCTIONS[:-1]}.get(kinds, OF_SHARES)

    @settings(max_examples=settings.default.max_examples // (3 if kinds is DEPENDENT else 1))
    @given(questions(kinds), st.data())
    def ask(question: Question, data: st.DataObject) -> None:
        asked = data.draw(reads(functions))
        passes = data.draw(st.just(ALWAYS) | conditions(OF_STREAM))
        try:
            plain = of_columns(question, asked, passes)
            wanted = oracle.replay(plain.rows, plain.query, question.complete, question.idle_after)
        except (Beyond, OverflowError):
            assume(False)
        query = replace(
            question.query, aggregates={f"a{n}": each.asked() for n, each in enumerate(asked)}, where=passes.text
        )
        found = replay_table(question.table, query, question.complete, idle_after=question.idle_after)
        assert_same_rows(found.to_pylist(), wanted, plain)
        answered.update(each.function for n, each in enumerate(asked) if any(row[f"a{n}"] for row in wanted))

    search_until_nothing_is_missing(ask, lambda: {*functions} - {*answered})


STORY = table(events("""
    key | start | arrival | value
    a   | 10:00 | 10:00   | 1
    a   | 10:01 | 10:01   |
    a   | 10:02 | 10:02   | 3
"""))  # fmt: skip


def answer(*read: str, function: str = "sum", where: str | None = None, of: str | tuple = (), **parameters) -> object:
    """Of the story's only window."""
    aggregates = {"asked": agg(function, *read, where=where, **parameters)}
    [row] = replay_table(STORY, ask(tumbling(HOUR), aggregates=aggregates, where=of), complete=True).to_pylist()
    return row["asked"]


def test_an_event_whose_value_is_beyond_its_type_is_named_and_is_nothing_where_the_filter_leaves_it_out():
    event = r"in the event with value 3, arrival 2024-03-01 10:02:00\+00:00, seq 2$"
    with pytest.raises(BadInput, match=rf"^\(value \* 4611686018427387904\) is beyond int64.* {event}"):
        answer("value * 4611686018427387904")
    assert answer("value * 4611686018427387904", where="value < 2") == 2**62
    assert answer("value * 4611686018427387904", of="value < 2") == 2**62
    assert answer("value - -9223372036854775808", where="value IS NULL") is None
    with pytest.raises(BadInput, match=r"^\(value \* 1e\+308\) is no finite float64.* value 3, "):
        answer("value * 1e308")
    with pytest.raises(
        BadInput, match="^column value \\+ 9223372036854775804|sum.* of .*value \\+ 9223372036854775804"
    ):
        answer("value + 9223372036854775804")


def test_what_a_filter_leaves_out_is_absent_and_an_aggregate_that_sees_nulls_takes_none():
    assert answer("value", function="first", where="value IS NULL OR value > 1") == 3
    assert answer(function="count", where="value IS NULL") == 1
    with pytest.raises(
        WrongParameter, match=r"first with nulls=True and a filter'; allowed: no filter, or an aggregate"
    ):
        answer("value", function="first", where="value > 1", nulls=True)


def test_an_object_of_a_kernel_takes_columns_only():
    for wrong in (agg("sum", "a + b"), agg("sum", "a", where="a > 1"), agg("count", where="TRUE")):
        with pytest.raises(WrongParameter, match="allowed: columns, and no filter: expressions are of queries"):
            make("finger_tree", {"asked": wrong})
