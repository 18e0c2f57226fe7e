"""The gate looks at each of a query's windows: what is right passes, and a wrong row of one is found and named."""

from dataclasses import replace

import pytest

from tests.support.small_lake import DAYS, SmallLake, asked, choose, random_events, replayed_lake
from tests.support.small_windows import WINDOWS
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.gate.checks import find_in_rows, verdicts_on_rows
from windrow.pipelines.gate.gate import Gate
from windrow.pipelines.gate.recount import final_values
from windrow.pipelines.gate.recount.opening import recounts
from windrow.pipelines.gate.recount.query_days import KeyShare
from windrow.pipelines.sql import statements
from windrow.schemas.query import EMITS, Query

TOGETHER = ("sliding", "rolling", "calendar day", "spanning with gaps", "parts of a day")
pytestmark = [pytest.mark.slow, pytest.mark.few_tests(4)]


def of_windows(*kinds: str, **changes) -> Query:
    windows = {named(kind): WINDOWS[kind] for kind in kinds}
    return replace(asked(kinds[0], **changes), window=None, windows=windows)


def named(kind: str) -> str:
    return kind.replace(" ", "_").replace(",", "")


@pytest.fixture
def made(config) -> SmallLake:
    return replayed_lake(config, of_windows(*TOGETHER), random_events(seed=5))


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("kinds", [TOGETHER, ("prorated", "prorated with gaps"), ("rolling", "rolling, closed left")])
def test_the_rows_of_runs_pass_on_each_day_and_on_all_at_once(config, kinds, emit):
    made = replayed_lake(config, of_windows(*kinds, emit=emit), random_events(seed=6))
    by_day = made.laws_by_day(*DAYS)
    assert {verdict.offending for of_day in by_day.values() for verdict in of_day} == {None}
    assert all(made.laws_by_day(day) == {day: by_day[day]} for day in DAYS)
    for table in (made.tables.audit, made.tables.late_audit):
        assert {row["window_name"] for row in made.rows(table)} == {*made.query.windows}


def test_no_cut_shows(made, monkeypatch):
    """Neither shares of keys, whose findings are added up, nor parts of a key's events."""
    whole, of = made.laws_by_day(*DAYS), made.audited(*DAYS)
    shares = [KeyShare(part=part, parts=3) for part in range(3)]
    opened = (recount for each in shares for recount in recounts(Lake(made.config), of, each))
    assert whole == verdicts_on_rows(of, [find_in_rows(recount) for recount in opened])
    monkeypatch.setattr(final_values, "EVENTS_AT_ONCE", 5)
    assert made.laws_by_day(*DAYS) == whole


@pytest.mark.parametrize("name", TOGETHER)
def test_a_wrong_row_of_one_window_is_found_and_shown_with_its_name(made, name):
    """Of each law: a count, a value, a row too few, a row of another window's name; and a late row."""
    name = named(name)
    right, late = made.rows(made.tables.audit), made.rows(made.tables.late_audit)
    rows = [row for row in right if row["emitted_date"] == DAYS[1] and row["window_name"] == name]
    row = choose(rows, lambda row: row["events"] > row["late_events"] and row["total"] is not None)
    other = {"window_name": next(each for each in made.query.windows if each != name)}
    for law, changed in (
        ("law 3", [{**row, "events": row["events"] + 1}]),
        ("law 4", []),
        ("law 4", [row | other]),
        ("law 4", [row, row]),
    ):
        made.rewrite(made.tables.audit, [*(each for each in right if each != row), *changed])
        assert law in made.failing(DAYS[1])
        assert name in {each["window_name"] for each in shown(made, law)}
    made.rewrite(made.tables.audit, [{**each, "n": -1} if each["window_name"] == name else each for each in right])
    assert made.failing(DAYS[1]) == {"law 5"}
    assert {each["window_name"] for each in shown(made, "law 5")} == {name}
    made.rewrite(made.tables.audit, right)
    missed = choose(late, lambda row: row["arrival_date"] == DAYS[1] and row["window_name"] == name)
    made.delete(made.tables.late_audit, missed)
    assert made.failing(DAYS[1]) == {"law 2"}
    [found] = shown(made, "law 2")
    assert (found["window_name"], found["line"], found["reason"]) == (name, missed["line"], None)


def shown(made: SmallLake, law: str) -> list[dict]:
    """The rows that the law's SQL shows; it must be fit for the double quotes of a shell."""
    offending = made.verdicts(DAYS[1])[law].offending
    assert not set('"$`\\') & set(offending)
    return statements.run(Lake(made.config), offending).to_pylist()


def test_a_law_that_one_of_the_windows_is_excepted_from_looks_at_the_others(config):
    made = replayed_lake(config, of_windows("rolling", "sliding", emit="arrival"), random_events(seed=5))
    figure = made.verdicts(DAYS[1])["law 3"].figure
    assert figure.endswith("(of 2 windows together; does not apply to rolling windows with emit 'arrival')")
    row = choose(made.rows(made.tables.audit), lambda row: row["emitted_date"] == DAYS[1])
    assert row["window_name"] == "rolling"
    made.change(made.tables.audit, row, events=row["events"] + 1)
    assert "law 3" not in made.failing(DAYS[1])


def test_a_name_that_the_query_has_not_breaks_an_expectation(made):
    made.rewrite(made.tables.audit, [{**row, "window_name": "hour"} for row in made.rows(made.tables.audit)])
    gate = Gate(Lake(made.config), engine_of(made.config))
    [found] = gate.check_audit(made.audited(DAYS[1])).values()
    assert "window_name is one of the words" in {verdict.check_name for verdict in found if not verdict.passed}
