"""A day that is checked in parts of a few rows or events gets the verdicts and the figures of one that is checked at
once, on right rows and on wrong ones.
"""

import json

import pytest

from pipelines.config import Config
from pipelines.engines.local import frames
from pipelines.gate.checks import find_in_rows, verdicts_on_rows
from pipelines.gate.recount import final_values
from pipelines.gate.recount.opening import open_recount
from pipelines.gate.recount.query_day import AuditedDay
from pipelines.lake.lake import Lake
from tests.support.lakes import gate_of
from tests.support.small_lake import DAYS, SmallLake, asked, make_lake, random_events

WINDOWS = [("tumbling", "final"), ("sliding", "watermark"), ("sliding", "arrival"), ("rolling", "watermark"),
           ("spanning", "final")]  # fmt: skip


def spoilt(made: SmallLake) -> None:
    """Impossible counts in a row of three, and a word that is none in the first."""
    rows = sorted(made.rows(made.tables.audit), key=repr)
    wrong = [{**row, "events": row["events"] * (number % 3 - 1)} for number, row in enumerate(rows)]
    made.rewrite(made.tables.audit, [{**wrong[0], "pane": "whenever"}, *wrong[1:]])


def validated(made: SmallLake) -> tuple[list[tuple], list[tuple]]:
    """The verdicts on silver and on the audit rows, and what Great Expectations found, without ids and times."""
    lake = Lake(made.config).committing(run_id="run")
    gate = gate_of(lake)
    verdicts = gate.check_silver(made.tables.source, made.snapshot, made.arrival_days, DAYS)
    audits = (gate.check_audit(AuditedDay(made.tables, day, made.versions)) for day in DAYS)
    of_days = [verdict for found in (*verdicts.values(), *audits) for verdict in found]
    results = {each.validation: _results(made, each.validation) for each in of_days if each.validation}
    # Where a result lies says when it was made.
    return [(each.check_name, each.passed, each.figure, each.table_name) for each in of_days], list(results.values())


def _results(made: SmallLake, path: str) -> tuple:
    whole = json.loads((made.config.expectations / path).read_text())
    each = [(found["expectation_config"]["meta"], found["success"], found["result"]) for found in whole["results"]]
    return whole["success"], whole["statistics"], each


def recounted(made: SmallLake) -> list:
    """The laws' verdicts on all days."""
    days = (AuditedDay(made.tables, day, made.versions) for day in DAYS)
    return [verdicts_on_rows(of, [find_in_rows(open_recount(Lake(made.config), of))]) for of in days]


@pytest.mark.parametrize("rows_at_once", [4, 15])
def test_expectations_on_parts_find_what_they_find_on_the_whole(tmp_path, monkeypatch, rows_at_once):
    made = make_lake(Config(tmp_path, tmp_path), asked(), random_events(seed=3, count=60), constrained=False)
    for spoil, holds in ((None, True), (spoilt, False)):
        if spoil:
            spoil(made)
        at_once = validated(made)
        assert all(passed for _, passed, _, table in at_once[0] if table == made.tables.audit.name) == holds
        with monkeypatch.context() as patched:
            patched.setattr(frames, "ROWS_AT_ONCE", rows_at_once)
            assert validated(made) == at_once


@pytest.mark.parametrize("events_at_once", [1, 5])
@pytest.mark.parametrize(("kind", "emit"), WINDOWS)
def test_laws_on_parts_of_a_key_find_what_they_find_on_the_whole(tmp_path, monkeypatch, kind, emit, events_at_once):
    made = make_lake(Config(tmp_path, tmp_path), asked(kind, emit), random_events(seed=11, count=80), constrained=False)
    for spoil in (None, spoilt):
        if spoil:
            spoil(made)
        at_once = recounted(made)
        assert all(verdict.passed for of_day in at_once for verdict in of_day) == (spoil is None)
        with monkeypatch.context() as patched:
            patched.setattr(final_values, "EVENTS_AT_ONCE", events_at_once)
            assert recounted(made) == at_once
