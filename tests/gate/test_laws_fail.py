"""Each law fails on rows that break it, and gives SQL that shows them alongside what silver says."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from tests.support.small_lake import DAYS, FIRST_DAY, HOUR, STREAM, SmallLake, asked, choose, make_lake, random_events
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.sql import statements
from windrow.schemas.query import EMITS
from windrow.schemas.tables import silver_table

DAY = DAYS[1]
SILVER = silver_table(STREAM)
pytestmark = [pytest.mark.slow, pytest.mark.few_tests(12)]


@pytest.fixture
def made(config) -> SmallLake:
    """Rows of a sliding window, of three days; the laws hold until a test changes something."""
    return make_lake(config, asked("sliding"), random_events(seed=5))


def on_day(row: dict) -> bool:
    return row.get("emitted_date", row.get("arrival_date")) == DAY


def audit_row(made: SmallLake, holds=lambda row: True) -> dict:
    """A row of the day that has a condition."""
    return choose(made.rows(made.tables.audit), lambda row: on_day(row) and holds(row))


def late_row(made: SmallLake) -> dict:
    return choose(made.rows(made.tables.late_audit), on_day)


def shown(made: SmallLake, law: str) -> list[dict]:
    """The rows that the law's SQL shows; it must be fit for the double quotes of a shell."""
    offending = made.verdicts(DAY)[law].offending
    assert not set('"$`\\') & set(offending)
    return statements.run(Lake(made.config), offending).to_pylist()


def closed_row(made: SmallLake) -> dict:
    """The newest row of a window that changed for the last time, and closed, in the day."""
    early = asked().lateness + asked().allowed_lateness + 8 * HOUR
    rows = [row for row in made.rows(made.tables.audit) if on_day(row)]
    newest = {(row["key"], row["window_start"]): row for row in rows}
    newest_end = max(row["window_end"] for row in rows)
    closed = [row for row in newest.values() if row["window_end"] + early < newest_end]
    return choose(closed, lambda row: row["real_total"] is not None and row["total"] is not None)


class TestLaw2:
    def test_a_late_row_that_is_missing_or_there_twice_is_shown(self, made):
        gone = late_row(made)
        made.add(made.tables.late_audit, gone)
        assert made.failing(DAY) == {"law 2"}
        assert {found["line"] for found in shown(made, "law 2")} == {gone["line"]}
        made.delete(made.tables.late_audit, gone)
        assert made.failing(DAY) == {"law 2"}
        (row,) = shown(made, "law 2")
        assert (row["line"], row["recounted_windows_missed"]) == (gone["line"], gone["windows_missed"])
        assert row["windows_missed"] is None

    def test_a_late_row_with_another_value_or_of_an_event_that_missed_nothing(self, made):
        right, row = made.rows(made.tables.late_audit), late_row(made)
        missed = {row["line"] for row in right}
        event = choose(made.rows(SILVER), lambda row: on_day(row) and row["line"] not in missed)
        long_ago = {"first_missed": datetime(2024, 3, 1, tzinfo=UTC)}
        for wrong in ({"windows_missed": 99}, {"late_by": 1}, {"reason": "too long"}, {"key": "other"}, long_ago):
            made.rewrite(made.tables.late_audit, [each | wrong if each == row else each for each in right])
            assert made.failing(DAY) == {"law 2"}
            assert len(shown(made, "law 2")) == 1
        made.rewrite(made.tables.late_audit, [*right, row | {"line": event["line"]}])
        assert made.failing(DAY) == {"law 2"}
        assert [row["line"] for row in shown(made, "law 2")] == [event["line"]]

    def test_a_late_row_of_a_rolling_window(self, config):
        made = make_lake(config, asked("rolling"), random_events(seed=5))
        row = late_row(made)
        made.change(made.tables.late_audit, row, windows_missed=row["windows_missed"] + 1)
        assert made.failing(DAY) == {"law 2"}

    def test_an_event_that_silver_lost(self, made):
        event = choose(made.rows(SILVER), lambda row: row["line"] == late_row(made)["line"])
        made.delete(SILVER, event)
        assert "law 2" in made.failing(DAY)


class TestLaw3:
    @pytest.mark.parametrize("column", ["events", "late_events"])
    @pytest.mark.parametrize("of_null", [False, True])
    def test_a_row_that_counts_one_event_more(self, made, column, of_null):
        versions = made.versions
        row = audit_row(made, lambda row: row["events"] > row["late_events"] and (row["key"] is None) == of_null)
        made.change(made.tables.audit, row, **{column: row[column] + 1})
        assert "law 3" in made.failing(DAY) and made.versions.audit == versions.audit + 1
        (found,) = shown(made, "law 3")
        assert found[column] == found[f"recounted_{column}"] + 1 == row[column] + 1
        assert found["key_0"] == row["key"]

    def test_rows_that_hold_an_event_which_silver_lost(self, made):
        row = audit_row(made)
        known = [each for each in made.rows(SILVER) if each["arrival"] <= row["emitted_at"]]
        of_key = [each for each in known if each["key"] == row["key"]]
        made.delete(SILVER, choose(of_key, lambda event: row["window_start"] <= event["start"] < row["window_end"]))
        assert "law 3" in made.failing(DAY)

    def test_a_row_of_a_key_that_silver_does_not_have(self, made):
        made.add(made.tables.audit, {**audit_row(made), "key": "nobody"})
        found = choose(shown(made, "law 3"), lambda row: row["key_0"] == "nobody")
        assert found["recounted_events"] == 0


class TestLaw4:
    def test_a_first_revision_that_is_missing(self, made):
        later = audit_row(made, lambda row: row["revision"] == 1)
        firsts = [row for row in made.rows(made.tables.audit) if row["revision"] == 0]
        first = choose(firsts, lambda row: (row["key"], row["window_start"]) == (later["key"], later["window_start"]))
        made.delete(made.tables.audit, first)
        assert "law 4" in made.failing(first["emitted_date"])

    def test_the_only_row_of_a_window_that_is_missing(self, made):
        row = audit_row(made, lambda row: row["revision"] == 0 and on_day(row))
        made.delete(made.tables.audit, row)
        found = choose(shown(made, "law 4"), lambda found: found["problem"] == "row is missing")
        assert found["recounted_emitted_at"] == row["emitted_at"]

    @pytest.mark.parametrize(
        "column, step, problem",
        [("revision", 1, "no such revision"), ("emitted_at", timedelta(seconds=1), "other tick")],
    )
    def test_a_row_that_is_out_of_step(self, made, column, step, problem):
        rows = made.rows(made.tables.audit)
        windows = [(row["key"], row["window_start"]) for row in rows]
        row = audit_row(made, lambda row: windows.count((row["key"], row["window_start"])) == 1)
        made.change(made.tables.audit, row, **{column: row[column] + step})
        assert "law 4" in made.failing(DAY)
        assert problem in {found["problem"] for found in shown(made, "law 4")}

    @pytest.mark.parametrize(
        ("kind", "emit"),
        [*product(["sliding"], EMITS), ("rolling", "arrival"), ("spanning", "watermark"), ("parts of a day", "final")],
    )
    def test_a_row_that_is_there_twice_and_one_that_is_missing(self, config, kind, emit):
        """Also where laws 3 and 5 don't apply."""
        made = make_lake(config, asked(kind, emit), random_events(seed=5))
        row = audit_row(made)
        made.add(made.tables.audit, row)
        assert made.failing(DAY) == {"law 4"}
        (found, copy) = shown(made, "law 4")
        assert found == copy and found["problem"] == "row is there more than once"
        made.delete(made.tables.audit, row)
        assert "law 4" in made.failing(DAY)

    def test_a_row_with_another_pane(self, made):
        row = audit_row(made, lambda row: row["pane"] == "late")
        made.change(made.tables.audit, row, pane="on_time")
        assert made.failing(DAY) == {"law 4"}
        assert [found["recounted_pane"] for found in shown(made, "law 4")] == ["late"]

    def test_events_that_fall(self, made):
        rows = [row for row in made.rows(made.tables.audit) if on_day(row)]
        before = {(row["key"], row["window_start"], row["revision"]) for row in rows}
        row = audit_row(made, lambda row: (row["key"], row["window_start"], row["revision"] - 1) in before)
        made.change(made.tables.audit, row, events=0, late_events=0)
        assert "events fall" in {found["problem"] for found in shown(made, "law 4")}


class TestLaw5:
    @pytest.mark.parametrize("column", asked().aggregates)
    def test_an_aggregate_that_is_not_the_final_one_or_null_and_is_none_by_rounding(self, made, column):
        right, row = made.rows(made.tables.audit), closed_row(made)
        recounted = f"recounted_{[*asked().aggregates].index(column)}"
        for wrong in (row[column] + 1, *([] if asked().aggregates[column].function == "count" else [None])):
            made.rewrite(made.tables.audit, [each | {column: wrong} if each == row else each for each in right])
            assert made.failing(DAY) == {"law 5"}
            (found,) = shown(made, "law 5")
            assert found[column] == wrong and found[recounted] == pytest.approx(row[column])
        nearly = {"real_total": row["real_total"] * (1 + 1e-12)}
        made.rewrite(made.tables.audit, [each | nearly if each == row else each for each in right])
        assert made.failing(DAY) == set()

    def test_a_closed_window_without_its_newest_row(self, made):
        row = closed_row(made)
        made.delete(made.tables.audit, row)
        assert made.failing(DAY) == {"law 4", "law 5"}

    @pytest.mark.parametrize("law", ["law 3", "law 5"])
    def test_rolling_windows_with_emit_arrival_are_excepted_and_it_says_so(self, config, law):
        made = make_lake(config, asked("rolling", "arrival"), random_events(seed=5))
        verdict = made.verdicts(FIRST_DAY)[law]
        assert verdict.passed and verdict.figure.startswith("does not apply")


def test_the_sql_of_a_law_shows_a_row_and_no_person(config):
    columns = tuple(replace(column, personal=column.name == "key") for column in STREAM.columns)
    made = make_lake(config, asked("sliding"), random_events(seed=5), replace(STREAM, columns=columns))
    row = audit_row(made, lambda row: row["key"] is not None)
    made.change(made.tables.audit, row, total=(row["total"] or 0) + 1)
    (law,) = made.failing(DAY)
    offending = made.verdicts(DAY)[law].offending
    assert repr(row["key"]) not in offending
    (found,) = statements.run(Lake(config), offending).to_pylist()
    assert (found["total"], found["window_start"]) == ((row["total"] or 0) + 1, row["window_start"])
    assert re.fullmatch("#[0-9a-f]{4}", found["key_0"])
