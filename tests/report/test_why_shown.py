"""A click on a revision leads to the events that made it, and without these the page stands."""

import shutil

import pytest

from tests.report.test_report_pages import built
from tests.support.edited import edit
from tests.support.lakes import DAYS, QUERIES
from tests.support.semantics.queries import HOUR
from windrow.pipelines.runs.backfill import backfill
from windrow.schemas.query import sliding, tumbling

pytestmark = pytest.mark.slow


def test_each_dot_of_the_revisions_leads_to_what_made_it(published, tmp_path, monkeypatch):
    windows = {"hour": tumbling(HOUR), "last_day": sliding(24 * HOUR, HOUR)}
    edit(monkeypatch, "bikes_in_use", window=None, windows=windows, lateness=HOUR / 60)
    backfill(published, ["bikes_in_use"], (DAYS[0], DAYS[-1])).require()
    made = built(published, tmp_path / "report")
    for query in (*QUERIES, "bikes_in_use"):
        page = made.pages[f"query-{query}.html"]
        dots = {row["explained"] for row in made.rows(f"query-{query}.html", "revisions")}
        assert dots and {dot.removeprefix("#") for dot in dots} <= page.names
        assert page.shown.count("events: adds up") == len(dots) and f"windrow why {query} --key" in page.shown
    assert "--window-name last_day" in page.shown


def test_without_silver_the_page_says_so_and_shows_the_results(published, tmp_path):
    shutil.rmtree(published.home / "lake" / "silver_bikes")
    page = built(published, tmp_path / "report").pages["query-bikes_demand.html"]
    assert "The events behind the revisions can't be shown" in page.shown and "revisions" in page.specs
