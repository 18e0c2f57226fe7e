"""The way from a task's log and from the ledger to what Great Expectations found, and to its page."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.support.command_line import typed
from tests.support.lakes import DAYS, PATIENT
from windrow.pipelines.config import Config

QUERY, RUN = "bikes_daily", "manual__2018-11-04T00:00:00+00:00"
pytestmark = [pytest.mark.nightly, PATIENT, pytest.mark.slow]


@pytest.fixture
def settings(ingested, tmp_path) -> dict[str, str]:
    """This lake, and a browser that notes which page it was asked for."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path / "opened"}\n')
    browser.chmod(0o755)
    homes = {"WINDROW_HOME": str(ingested.home), "WINDROW_LANDING": str(ingested.landing)}
    return os.environ | homes | {"BROWSER": f"{browser} %s"}


def test_a_run_s_log_and_ledger_lead_to_pages_that_windrow_report_makes(settings, run, ingested, tmp_path):
    replayed = run(ingested, "replay", QUERY, "--day", str(DAYS[1]), "--run-id", RUN)
    assert replayed.code == 0, replayed.error
    linked = re.findall(r"^gate: validation results: (\S+\.html), which `windrow report` makes$", replayed.error, re.M)
    assert len(linked) == 2 and not any(Path(page).exists() for page in linked)

    report = typed("report", "--open", "--json", **settings)
    assert report.code == 0, report.error
    first_page, data_docs = (Path(report.json[name]) for name in ("first_page", "data_docs"))
    assert (tmp_path / "opened").read_text().strip() == first_page.as_uri()
    (link,) = re.findall(r'href="([^"]+)">Data Docs<', (first_page.parent / "runs.html").read_text())
    assert (first_page.parent / link).resolve() == data_docs and data_docs.exists()
    assert all(Path(page).exists() for page in linked)

    results = [str(ingested.expectations / each) for each in gate_outputs(run, ingested)["validations"]]
    assert [each.replace("/validations/", "/data_docs/validations/")[:-5] + ".html" for each in results] == linked
    asked = f"SELECT DISTINCT validation FROM verdicts WHERE run_id = '{RUN}' AND table_name LIKE '{QUERY}%'"
    named = [row["validation"] for row in run(ingested, "query", asked, "--json").json]
    assert {str(ingested.expectations / each) for each in named if each} == set(results)

    without_browser = typed("report", "--open", **{**settings, "BROWSER": "/no/browser %s", "PATH": "/nowhere"})
    assert without_browser.code == 0
    assert re.search(r"no browser could be started here; open file://\S+/index.html yourself", without_browser.error)


def gate_outputs(run, config: Config) -> dict:
    asked = f"SELECT outputs FROM runs WHERE run_id = '{RUN}' AND stage = 'gate'"
    (row,) = run(config, "query", asked, "--json").json
    return json.loads(row["outputs"])


def test_before_any_validation_it_says_where_to_begin(run, tmp_path):
    ended = run(Config(tmp_path, tmp_path), "report", "--json")
    assert (ended.code, ended.json["data_docs"]) == (0, None), ended.error
    page = (tmp_path / "report" / "runs.html").read_text()
    assert "there are no validation results yet; fix it with: windrow replay QUERY --day YYYY-MM-DD" in page


def test_a_validation_result_that_cannot_be_read_is_named_and_spoils_no_page(run, ingested):
    assert run(ingested, "replay", QUERY, "--day", str(DAYS[1])).code == 0
    result = next((ingested.expectations / "validations").rglob("*.json"))
    result.write_text("{")
    ended = run(ingested, "report", "--json")
    assert (ended.code, ended.json["not_made"]) == (0, [])
    page = (ingested.report / "runs.html").read_text()
    assert f"{result} is no validation result; remove it" in re.sub("<[^>]+>", "", page)
