"""What the runs of days came to is shown to people as columns of counts, and to tools as whole reports."""

import json
from datetime import date

import pytest

from pipelines.cli._days import show_day, show_days
from pipelines.runs.reports import DayReport

QUERY = "bikes_daily"


def published(day: int, note: str | None = None) -> DayReport:
    rows, made = {f"{QUERY}_late": 2, QUERY: 1_400}, {"versions": {f"{QUERY}_late": 4, QUERY: 5}, "revisions": 30}
    return DayReport(f"run of {day}", QUERY, date(2018, 10, day), rows, note, checks=18, **made)


@pytest.fixture
def printed(monkeypatch, capsys):
    def lines(show, shown) -> list[list[str]]:
        show(shown, False)
        return [line.replace("┃", "").replace("│", "").split() for line in capsys.readouterr().out.splitlines()]

    return lines


def test_days_are_a_table_with_a_column_for_each_count(printed):
    head, _, *rows = printed(show_days, [published(1), published(2)])
    assert head == ["query", "day", "rows", "late", "rows", "revisions", "checks"]
    assert rows == [[QUERY, f"2018-10-0{day}", "1400", "2", "30", "18"] for day in (1, 2)]


def test_note_of_one_day_is_a_column_of_all(printed):
    head, _, *rows = printed(show_days, [published(1), published(2, "stale already")])
    assert head[-1] == "note" and rows[0][-1] == "-" and rows[1][-2:] == ["stale", "already"]


def test_day_says_its_run_and_what_it_published(printed):
    lines = printed(show_day, published(1))
    assert lines[0] == ["run", "run", "of", "1"]
    assert lines[-2:] == [["version", "5"], ["late", "version", "4"]]


def test_audit_rows_alone_have_no_checks(printed):
    audited = DayReport("run", QUERY, date(2018, 10, 1), {f"{QUERY}_audit": 7, f"{QUERY}_late_audit": 0})
    head, *_ = printed(show_days, [audited])
    assert head == ["query", "day", "audit", "rows", "late", "audit", "rows"]


def test_tools_get_whole_reports(capsys):
    show_days([published(1)], True)
    (report,) = json.loads(capsys.readouterr().out)
    assert report["versions"] == {f"{QUERY}_late": 4, QUERY: 5} and report["run_id"] == "run of 1"
