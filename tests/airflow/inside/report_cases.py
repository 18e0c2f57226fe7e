"""The pages of the report in Airflow's server, asked as a browser asks for them."""

import pytest
from fastapi import HTTPException
from fastapi.testclient import TestClient

from dags import report_pages


@pytest.fixture
def report(tmp_path, monkeypatch):
    """The folder of a home's pages, none of which is there."""
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path))
    return tmp_path / "report"


def test_before_the_first_report_and_for_a_page_that_is_none_it_says_so_in_words(report):
    with pytest.raises(HTTPException, match="There is no report yet; .* windrow report"):
        report_pages.page("index.html")
    report.mkdir()
    (report / "index.html").write_text("the report")
    assert report_pages.page("").path == report / "index.html"
    with pytest.raises(HTTPException, match="nothing.html is not in the report"):
        report_pages.page("nothing.html")


@pytest.mark.parametrize("path", ["/", "/index.html", "/of/bikes"])
def test_what_is_refused_is_a_page_and_no_json(report, path, monkeypatch):
    """Here since no user is logged in."""
    refused = TestClient(report_pages.app).get(path)
    assert refused.status_code in (401, 403) and refused.headers["content-type"].startswith("text/html")
    assert refused.text.startswith("<!doctype html>")
