"""Commands of which some days are not published: since another run does it, or nothing arrived, or for a mistake."""

import json
from datetime import date

from pipelines.runs.reports import DayFailure, DayReport, Done
from schemas.errors import GateFailed, NothingArrived, Superseded


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

    monkeypatch.setattr("pipelines.runs.backfill.replay", replayed)
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
    monkeypatch.setattr("pipelines.runs.replay.replay", lambda *given, **how: Done([], failures))
    ended = windrow("replay", *errors, "--day", str(day))
    assert ended.code == GateFailed.exit_code
    assert f"error: bikes_demand of {day} was not published: check 'law_3' failed" in ended.error
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        f"bikes_in_use of {day} was not published"
    ]
    monkeypatch.setattr("pipelines.runs.replay.replay", lambda *given, **how: Done([], failures[:1] * 2))
    ended = windrow("replay", "bikes_daily", "bikes_demand", "--day", str(day))
    assert (ended.code, ended.error) == (NothingArrived.exit_code, "skipped: nothing has arrived\n")
