"""What is no expression is refused with its text, the place and what was expected there; and what a query's stream
can't have. What expressions mean: tests/semantics/test_expressions.py."""

import duckdb
import pyarrow as pa
import pytest

from windrow.pipelines.gate.recount import expressions as in_duckdb
from windrow.pipelines.gate.recount.plain import expressions as in_python
from windrow.pipelines.replay.expressions import AskedRows, evaluate
from windrow.pipelines.tables.query_tables import aggregate_columns
from windrow.schemas.errors import WrongParameter
from windrow.schemas.expression_text import MOST_CHARACTERS, MOST_OPERATORS, parse
from windrow.schemas.query import Query, agg
from windrow.schemas.registry import queries, stream
from windrow.schemas.validation import validate_query

LONG, DEEP = f"at most {MOST_CHARACTERS:,} characters", f"at most {MOST_OPERATORS} brackets"
WRONG = {
    "": "a value, a column or ( behind the last character",
    "a = = 5": "a value, a column or ( at character 5, before '= 5'",
    "a < b < c": "AND, OR, or the end at character 7, before '< c'",
    "a b": "an operator, AND, OR, or the end at character 3, before 'b'",
    "a = 'it": 'a closing quote at character 5, before "\'it"',
    'a = "': "a closing quote at character 5",
    "a ; b": "SQL and no such sign at character 3, before '; b'",
    "(a = 5": ") behind the last character",
    "a in ()": "a value, a column or ( at character 7, before ')'",
    "a in 5": "( at character 6, before '5'",
    "a not 5": "IN or BETWEEN at character 7, before '5'",
    "a between 1 or 2": "AND at character 13, before 'or 2'",
    "a is 5": "NULL at character 6, before '5'",
    "a = not b": "a value, a column or ( at character 5, before 'not b'",
    "sum(a) > 5": "an operator, AND, OR, or the end at character 4, before '(a) > 5'",
    "a > 9223372036854775808": "an integer within int64, or a float such as 1e30, at character 5",
    "a > 1e999": "a number within float64 at character 5",
    "t > TIMESTAMP '2018-08-01'": "a time such as '2018-08-01 06:40:33Z' ('2018-08-01' is not a time with an offset",
    "t > DATE '2018-02-30'": "a day such as '2018-08-01' at character 10",
    "a = 'x" + "x" * MOST_CHARACTERS: LONG,
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:20])
def test_what_is_no_expression_is_refused_with_the_place_and_what_was_expected(text):
    with pytest.raises(WrongParameter) as refused:
        agg("count", where=text)
    assert WRONG[text] in str(refused.value)
    assert str(refused.value).startswith(f"where is {text[:60]!r}"[:60])


CHAINS = {
    "brackets": lambda many: "(" * many + "a" + ")" * many,
    "minus": lambda many: "- " * many + "a",
    "sums": lambda many: "a" + " + 1" * many,
    "not": lambda many: "NOT " * many + "a = 1",
    "right": lambda many: "1 + (" * (many // 2) + "a" + ")" * (many // 2),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_the_deepest_expressions_have_values_and_deeper_ones_are_refused(chain):
    tree, events = parse(CHAINS[chain](MOST_OPERATORS)), pa.table({"a": [1]})
    [found] = evaluate(tree, AskedRows(events)).to_pylist()
    assert in_python.evaluate(tree, {"a": 1}) == found
    with duckdb.connect() as database:
        asked = in_duckdb.in_sql(tree, "e", {"a": "int64"})
        assert database.execute(f"SELECT {asked} FROM (SELECT 1::BIGINT AS a) e").fetchall() == [(found,)]
    with pytest.raises(WrongParameter, match=DEEP):
        parse(CHAINS[chain](MOST_OPERATORS + 2))


def test_the_longest_text_has_a_value_and_its_conditions_are_one_level():
    text = " OR ".join(["a = 1"] * ((MOST_CHARACTERS + 4) // 9))
    assert len(text) == MOST_CHARACTERS - 5 and len(parse(text).parts) == 1_111
    types = {"a": "int64"}
    with duckdb.connect() as database:
        asked = in_duckdb.in_sql(parse(text), "e", types)
        assert database.execute(f"SELECT {asked} FROM (SELECT 1::BIGINT AS a) e").fetchall() == [(True,)]
    assert evaluate(parse(text), AskedRows(pa.table({"a": [1, 2]}))).to_pylist() == [True, False]


BIKES = queries()["bikes_daily"]
UNFIT = {
    "a column": (agg("sum", "trip_duration + 1"), "aggregates['asked'] is 'trip_duration'. Did you mean 'trip_dur"),
    "a column of a filter": (agg("count", where="user_typ = 'x'"), "Did you mean 'user_type'?"),
    "a text in arithmetic": (agg("sum", "user_type + 1"), "aggregates['asked'] is 'user_type + 1'; allowed: numbers on "
                             "both sides of +: column 'user_type' of type string"),
    "other types": (agg("count", where="start > DATE '2018-01-01'"), "values of one type, on both sides of >: column "
                    "'start' of type timestamp, DATE '2018-01-01' of type date"),
    "a filter of numbers": (agg("count", where="trip_duration_s"), "something true or false: column 'trip_duration_s'"),
    "NOT of a number": (agg("any", "NOT trip_duration_s"), "something true or false: column 'trip_duration_s'"),
    "no type": (agg("any", "(NULL)"), "an expression with a type, which NULL has not"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", UNFIT)
def test_what_its_stream_can_not_have_is_refused(mistake):
    aggregate, message = UNFIT[mistake]
    with pytest.raises(WrongParameter) as refused:
        validate_query(_bikes({"asked": aggregate}), stream("bikes"))
    assert message in str(refused.value)


@pytest.mark.parametrize("where", ["user_type", "user_type = 5", (("user_type", "==", 5),)])
def test_a_where_that_its_stream_can_not_have_is_refused_as_it_was_given(where):
    with pytest.raises(WrongParameter) as refused:
        validate_query(_bikes({}, where), stream("bikes"))
    assert refused.value.value == (where if isinstance(where, str) else where[0])


def _bikes(aggregates: dict, where: str | tuple = ()) -> Query:
    return Query("asked", "bikes", BIKES.key, BIKES.window, aggregates, BIKES.lateness, BIKES.allowed_lateness,
                 where=where)  # fmt: skip


def test_a_plain_word_is_a_column_whatever_the_word_and_others_are_quoted():
    asked = agg("argmin", "in", '"Wert ""1"""', where="timestamp > 5 AND date IS NULL")
    assert asked.read_columns == ("in", "timestamp", "date", 'Wert "1"')


def test_a_state_of_an_aggregate_without_a_filter_is_known_by_the_text_that_it_had_before_there_were_filters():
    assert repr(agg("std", "a", ddof=0)) == "Aggregate(function='std', columns=('a',), parameters=(('ddof', 0),))"
    assert repr(agg("std", "a", where="b")) == "Aggregate(function='std', columns=('a',), parameters=(), where='b')"


def test_a_column_of_results_says_its_expression_and_its_filter():
    asked = {
        "a": agg("count", where="user_type = 'customer'"),
        "b": agg("sum", "trip_duration_s * 2", where="TRUE = TRUE"),
    }
    types = {column.name: column.type for column in stream("bikes").columns}
    assert [(each.type, each.meaning) for each in aggregate_columns(_bikes(asked), types)] == [
        ("int64", "count of events where user_type = 'customer'"),
        ("int64", "sum of trip_duration_s * 2 where TRUE = TRUE; null values are skipped"),
    ]
