"""What can be promised, in words; what is refused, and that a promise changes no row."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.small_lake import asked
from windrow.pipelines.ledger.code_hash import question_hash
from windrow.schemas import registry
from windrow.schemas.errors import WrongParameter
from windrow.schemas.promise import promise
from windrow.schemas.query import agg, session
from windrow.schemas.syntax import syntax_of

HOUR = timedelta(hours=1)
MADE = (
    promise(complete=0.995, within="1 h"),
    promise(final_moves_at_most=0.001, of="n"),
    promise(fresh_within=2 * HOUR),
    promise(rows_between=(100, 5_000), or_else="fail"),
)
WRONG = [
    ({}, "promise"),
    ({"complete": 0.9, "within": "1 h", "fresh_within": "1 h"}, "promise"),
    ({"complete": 1.1, "within": "1 h"}, "complete"),
    ({"complete": True, "within": "1 h"}, "complete"),
    ({"complete": 0.9}, "within"),
    ({"complete": 0.9, "within": "an hour"}, "within"),
    ({"complete": 0.9, "within": timedelta(0)}, "within"),
    ({"complete": 0.9, "within": "31 d"}, "within"),
    ({"fresh_within": "1 h", "within": "1 h"}, "within"),
    ({"final_moves_at_most": 0.1}, "of"),
    ({"complete": 0.9, "within": "1 h", "of": "n"}, "of"),
    ({"rows_between": (5, 1)}, "rows_between"),
    ({"rows_between": 5}, "rows_between"),
    ({"rows_between": (1.0, 2)}, "rows_between"),
    ({"fresh_within": "1 h", "or_else": "error"}, "or_else"),
]


def test_a_promise_says_what_and_how_much_in_words():
    assert [(each.name, each.allowed, each.or_else) for each in MADE] == [
        ("complete within 1 hour", "at least 0.995", "warn"),
        ("final n", "moves by at most 0.001", "warn"),
        ("fresh", "at most 2 hours old", "warn"),
        ("rows", "100 to 5,000 rows", "fail"),
    ]
    for each, inside, outside in zip(MADE, (0.995, 0, 7_200, 100), (0.994, 0.0011, 7_201, 5_001), strict=True):
        assert each.holds(inside) and not each.holds(outside)


@pytest.mark.parametrize(("given", "named"), WRONG)
def test_what_can_not_be_promised_is_refused_by_name(given, named):
    with pytest.raises(WrongParameter) as raised:
        promise(**given)
    assert raised.value.parameter == named


@pytest.mark.parametrize(
    "changes",
    [
        {"promises": [MADE[0]]},
        {"promises": ("complete",)},
        {"promises": (promise(final_moves_at_most=0, of="trips"),)},
        {"promises": MADE[1:2], "emit": "final"},
        {"promises": MADE[:1], "window": session(HOUR)},
    ],
)
def test_a_query_promises_what_it_has(changes):
    with pytest.raises(WrongParameter):
        asked(**changes)


def test_what_is_promised_changes_no_row():
    assert asked(promises=MADE).promises == MADE
    query = replace(registry.query("bikes_daily"), promises=MADE[2:])
    assert query.promises and question_hash(query) == question_hash(registry.query("bikes_daily"))
    plain = "from windrow.schemas.query import Query\nQUERY = Query(name='a')"
    promised = plain.replace("'a'", "'a', promises=(promise(complete=0.9, within='1 h'),)")
    ways = (
        promised.replace("import Query", "import Query, promise"),
        "from windrow.schemas.promise import promise\n" + promised,
    )
    assert [syntax_of(each.encode()) for each in ways] == [syntax_of(plain.encode())] * 2


def test_an_aggregate_that_gives_no_number_can_not_move(monkeypatch):
    from windrow.pipelines.runs import definitions

    daily = registry.query("bikes_daily")
    aggregates = {**daily.aggregates, "who": agg("max", "user_type")}
    query = replace(daily, aggregates=aggregates, promises=(promise(final_moves_at_most=0, of="who"),))
    monkeypatch.setitem(registry.queries(), "bikes_daily", query)
    with pytest.raises(WrongParameter, match="who of type string"):
        definitions.served(definitions.tables_of("bikes_daily"))
