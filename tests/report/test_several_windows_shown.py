"""The pages of a query with several windows tell them apart by their names."""

import pytest

from tests.report.test_report_pages import built
from tests.support.edited import edit
from tests.support.lakes import DAYS
from tests.support.semantics.queries import HOUR
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.backfill import backfill
from windrow.schemas.query import sliding, tumbling

pytestmark = pytest.mark.slow


def test_a_query_with_several_windows_shows_each_by_its_name(ingested, tmp_path, monkeypatch):
    windows = {"hour": tumbling(HOUR), "last_day": sliding(24 * HOUR, HOUR)}
    edit(monkeypatch, "bikes_daily", window=None, windows=windows, lateness=HOUR / 60, allowed_lateness=HOUR)
    backfill(ingested, ["bikes_daily"], (DAYS[0], DAYS[-1])).require()
    made = built(ingested, tmp_path / "report")
    page = made.pages["query-bikes_daily.html"]
    assert "hour tumbling window" in page.shown and "last_day sliding window" in page.shown
    keys = {row["key"].rpartition(" · ")[2] for row in made.rows("query-bikes_daily.html", "over-time")}
    assert keys == {*windows}
    curves = {f"{figure}-bikes_daily-{name}" for figure in ("curve", "delay") for name in windows}
    assert curves <= set(made.pages["lateness.html"].figures)
    late = Lake(ingested).read("bikes_daily_late")
    assert len(late) and "windows missed" in page.shown
    assert "hour, last_day" in made.pages["queries.html"].shown
