"""What commands print: tables for people, JSON for tools, help; nothing of it steers the terminal."""

import pytest
from rich.text import Text
from typer.main import get_command

from pipelines.cli import plan, profile
from pipelines.cli._app import app


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


COSTS = {None: "-", 0.2: "1 s", 119.4: "119 s", 120: "2 min", 7_199: "120 min", 7_200: "2.0 h"}
LAGS = {9.994: "9.99 s", 10: "10 s", 14_399: "14,399 s", 14_400: "4.0 h", 172_799: "48.0 h", 172_800: "2.0 d"}


@pytest.mark.parametrize("seconds", COSTS)
def test_what_a_plan_costs(seconds):
    assert plan._length(seconds) == COSTS[seconds]


@pytest.mark.parametrize("seconds", LAGS)
def test_how_far_events_lag_behind(seconds):
    assert profile._length(seconds) == LAGS[seconds]
