"""Commands that publish nothing since another run does: no success, and no mistake."""

import json
from datetime import date

from pipelines.runs.reports import DayReport
from schemas.errors import Superseded


def test_a_backfill_goes_on_after_a_day_that_another_run_publishes_and_its_exit_code_shows_it(windrow, monkeypatch):
    def replayed(config, query, day, run_id):
        if day == date(2018, 10, 2):
            raise Superseded("version 3 of the rows", 4, "another run", "windrow replay")
        return DayReport(run_id, query, day, {query: 1})

    monkeypatch.setattr("pipelines.runs.backfill.replay_day", replayed)
    ended = windrow("backfill", "bikes_demand", "--from", "2018-10-01", "--to", "2018-10-03", "--json")
    first, skipped, last = json.loads(ended.out)
    assert ended.code == Superseded.exit_code
    assert (first["note"], skipped["rows"], last["note"]) == (None, {}, None)
    assert "'another run' publishes the day" in skipped["note"] and "2018-10-02" in skipped["run_id"]
    assert windrow("backfill", "bikes_demand", "--from", "2018-10-03", "--to", "2018-10-03").code == 0
