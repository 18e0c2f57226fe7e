"""What commands print: tables for people, JSON for tools, help, how far long work is, what the runs of days came to,
and which days are not published; nothing of it steers the terminal."""

import json
from datetime import date
from io import StringIO
from threading import Event

import pytest
from rich.console import Console
from rich.progress import Progress
from rich.text import Text
from typer.main import get_command

from windrow.pipelines import flow
from windrow.pipelines.cli._app import app
from windrow.pipelines.cli._days import show_day, show_days
from windrow.pipelines.cli._progress import StageBars, StageLines, progress, repeated
from windrow.pipelines.report.words import length
from windrow.pipelines.runs.reports import DayFailure, DayReport, Done
from windrow.schemas.errors import GateFailed, NothingArrived, Superseded


def test_query_prints_a_table_for_people_and_json_for_tools_with_times_in_utc(windrow):
    ended = windrow("query", "SELECT '[red]stop[/red]' AS text, emitted_at FROM bikes_demand_final")
    assert (ended.code, ended.error) == (0, "")
    assert "2018-10-04 05:00:00Z" in ended.out and "[red]stop[/red]" in ended.out
    ended = windrow("query", "SELECT revision, events, emitted_at FROM bikes_demand WHERE events = 12", "--json")
    assert ended.json == [{"revision": 2, "events": 12, "emitted_at": "2018-10-04T05:00:00Z"}]
    statement = "SELECT 'nan'::DOUBLE AS a, sum(events) AS b, NULL AS c, [1, 2] AS d FROM bikes_demand"
    assert windrow("query", statement, "--json").json == [{"a": "nan", "b": 74, "c": None, "d": [1, 2]}]


def test_where_rows_are_not_shown_it_says_so(windrow):
    ended = windrow("query", "SELECT * FROM range(12)", "--rows", "10")
    assert "only the first 10 rows are shown" in ended.error
    assert len(ended.out.splitlines()) == 2 + 10
    assert windrow("query", "SELECT * FROM range(12)", "--rows", "12").error == ""
    assert len(windrow("query", "SELECT * FROM range(12)", "--json", "--rows", "10").json) == 12


def test_rows_that_do_not_fit_a_terminal_are_records(windrow, monkeypatch):
    statement = "SELECT 'a_word_of_20_letters' AS first, 'one_more_of_20_letters' AS second, 12 AS third"
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "80")
    assert windrow("query", statement).out.count("a_word_of_20_letters") == 1
    assert "row 1" not in windrow("query", statement).out
    monkeypatch.setenv("COLUMNS", "50")
    lines = [line.split() for line in Text.from_ansi(windrow("query", statement).out).plain.splitlines()]
    assert lines[0][:2] == ["row", "1"]
    assert lines[1:] == [["first", "a_word_of_20_letters"], ["second", "one_more_of_20_letters"], ["third", "12"]]


def test_control_characters_are_shown_not_sent_to_the_terminal(windrow):
    statement = "SELECT 'a' || chr(27) || '[2J' || chr(7) || chr(8238) || 'é' AS \"b\x1b\", [chr(27)] AS c"
    ended = windrow("query", statement)
    assert "a\\x1b[2J\\x07\\u202eé" in ended.out and "b\\x1b" in ended.out
    assert "\x1b" not in ended.out
    refused = windrow("query", "SELECT (chr(27) || '[2J')::INT")
    assert "\\x1b[2J" in refused.error and "\x1b" not in refused.error


def test_no_help_text_is_taken_for_mark_up():
    for command in get_command(app()).commands.values():
        for parameter in command.params:
            text = parameter.help or ""
            assert Text.from_markup(text).plain == text, f"{command.name} {parameter.name}"


def test_the_default_of_run_id_is_in_its_help(windrow):
    for command in ("ingest", "replay"):
        assert "a new one" in windrow(command, "--help").out


LENGTHS = {
    **{None: "-", 0.2: "0.2 s", 9.994: "9.99 s", 10: "10 s", 119.4: "119 s", 599: "599 s", 600: "10 min"},
    **{7_199: "120 min", 7_200: "2.0 h", 172_799: "48.0 h", 172_800: "2.0 d"},
}


@pytest.mark.parametrize("seconds", LENGTHS)
def test_a_length_of_time_has_the_unit_that_fits(seconds):
    assert length(seconds) == LENGTHS[seconds]


def test_in_a_log_each_stage_is_logged_once_as_it_begins(capsys):
    with progress() as show:
        show("replay")
        show("replay", 3, 10)
        show("gate")
    text = capsys.readouterr()
    assert isinstance(show, StageLines)
    assert text.err.splitlines() == [f"== replay: {flow.REPLAY.does}", f"== gate: {flow.GATE.does}"]
    assert text.out == ""


def test_a_detail_of_a_stage_is_a_line_within_its_section_and_what_is_no_stage_is_logged_as_it_is(capsys):
    with progress() as show:
        for text in ("other: 3", "bronze", "bronze: 3", "bronze: 3", "bronze", "silver", "silver: days"):
            show(text)
    of_stages = [f"== bronze: {flow.BRONZE.does}", "bronze: 3", f"== silver: {flow.SILVER.does}", "silver: days"]
    assert capsys.readouterr().err.splitlines() == ["== other: 3", *of_stages]


def test_on_a_terminal_each_stage_has_a_bar_which_shows_details_and_is_full_when_the_next_begins():
    bars = Progress(console=Console(file=StringIO(), force_terminal=True))
    show = StageBars(bars)
    show("silver")
    show("silver: quarantine")
    assert [task.description for task in bars.tasks] == ["silver: quarantine"]
    show("replay", 3, 10)
    show("gate")
    shown = [(task.description, task.completed, task.total) for task in bars.tasks]
    assert shown[1:] == [("replay", 10, 10), ("gate", 0, None)]


def test_a_log_says_again_and_again_how_far_the_work_is(capsys):
    lines, said = StageLines(), Event()

    def say():
        lines.go_on()
        said.set()

    lines.go_on()
    assert capsys.readouterr().err == "", "nothing has begun"
    lines("days of bikes_demand", 1, 677)
    lines("days of bikes_demand", 12, 677)
    with repeated(0.001, say):
        assert said.wait(60)
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert (first, second) == ("== days of bikes_demand", "days of bikes_demand: 12 of 677, 0 s so far")


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


def test_a_backfill_goes_on_after_a_day_that_another_run_publishes_and_its_exit_code_shows_it(windrow, monkeypatch):
    superseded = Superseded("version 3 of the rows", "4", "another run", "windrow replay")

    def replayed(config, days, **how):
        reports = [
            DayReport("a run", query, day, {}, str(superseded), superseded=True)
            if day == date(2018, 10, 2)
            else DayReport("a run", query, day, {query: 1})
            for query, of_query in days.items()
            for day in of_query
        ]
        failures = [DayFailure(each.query, each.day, superseded) for each in reports if each.superseded]
        return Done(reports, failures)

    monkeypatch.setattr("windrow.pipelines.runs.backfill.replay", replayed)
    ended = windrow("backfill", "bikes_demand", "--from", "2018-10-01", "--to", "2018-10-03", "--json")
    first, skipped, last = json.loads(ended.out)
    assert ended.code == Superseded.exit_code
    assert (first["note"], skipped["rows"], last["note"]) == (None, {}, None)
    assert "'another run' publishes the day" in skipped["note"] and skipped["day"] == "2018-10-02"
    assert windrow("backfill", "bikes_demand", "--from", "2018-10-03", "--to", "2018-10-03").code == 0


def test_of_several_queries_the_error_names_the_one_of_which_something_is_wrong_and_the_others_are_warnings(
    windrow, monkeypatch, caplog
):
    day = date(2018, 10, 1)
    errors = {"bikes_daily": NothingArrived("nothing has arrived"), "bikes_demand": GateFailed("law_3", 4, 0, "SELECT"),
              "bikes_in_use": GateFailed("law_5", 1, 0, "SELECT")}  # fmt: skip
    failures = [DayFailure(query, day, error) for query, error in errors.items()]
    monkeypatch.setattr("windrow.pipelines.runs.replay.replay", lambda *given, **how: Done([], failures))
    ended = windrow("replay", *errors, "--day", str(day))
    assert ended.code == GateFailed.exit_code
    assert f"error: bikes_demand of {day} was not published: check 'law_3' failed" in ended.error
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        f"bikes_in_use of {day} was not published"
    ]
    monkeypatch.setattr("windrow.pipelines.runs.replay.replay", lambda *given, **how: Done([], failures[:1] * 2))
    ended = windrow("replay", "bikes_daily", "bikes_demand", "--day", str(day))
    assert (ended.code, ended.error) == (NothingArrived.exit_code, "skipped: nothing has arrived\n")
