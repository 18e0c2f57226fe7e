"""Commands that publish nothing since another run does: no success, and no mistake."""

import json
from datetime import date

from pipelines.runs.reports import DayFailure, DayReport, Done
from schemas.errors import Superseded


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
