"""A day that is checked in parts of a few rows or events gets the verdicts and the figures of one that is checked at
once, on right rows and on wrong ones.
"""

import itertools
import json
from collections.abc import Callable

import pyarrow as pa
import pytest

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.engines.local.engine import LocalEngine
from pipelines.gate import expectations, validation
from pipelines.gate.gate import Gate
from pipelines.gate.recount import final_values
from pipelines.gate.recount.opening import open_recount
from pipelines.gate.validation_results import Result, kept, merged, name_of
from tests.support.small_lake import DAYS, SmallLake, asked, make_lake, random_events

pytestmark = pytest.mark.slow

WINDOWS = [("tumbling", "final"), ("sliding", "watermark"), ("sliding", "arrival"), ("rolling", "watermark"),
           ("spanning", "final")]  # fmt: skip


def spoilt(made: SmallLake) -> None:
    """Impossible counts in a row of three, and a word that is none in the first."""
    rows = sorted(made.rows(made.tables.audit), key=repr)
    wrong = [{**row, "events": row["events"] * (number % 3 - 1)} for number, row in enumerate(rows)]
    made.rewrite(made.tables.audit, [{**wrong[0], "pane": "whenever"}, *wrong[1:]])


def validated(made: SmallLake, slots: int = 1) -> tuple[list[tuple], list[tuple]]:
    """The verdicts on silver and on the audit rows, and what Great Expectations found, without ids and times."""
    lake = Lake(made.config).committing(run_id="run")
    engine = type("InSlots", (LocalEngine,), {"slots": slots})
    gate = Gate(lake, engine(made.config))
    verdicts = gate.check_silver(made.tables.source, made.snapshot, made.arrival_days, DAYS)
    audits = gate.check_audit(made.audited(*DAYS))
    of_days = [verdict for found in (*verdicts.values(), *audits.values()) for verdict in found]
    results = {each.validation: _results(made, each.validation) for each in of_days if each.validation}
    # Where a result lies says when it was made.
    return [(each.check_name, each.passed, each.figure, each.table_name) for each in of_days], list(results.values())


def _results(made: SmallLake, path: str) -> tuple:
    whole = json.loads((made.config.expectations / path).read_text())
    each = {name_of(found): (found["success"], _with_values_counted(found["result"])) for found in whole["results"]}
    return whole["success"], whole["statistics"], each


def _with_values_counted(found: dict) -> dict:
    """Which values are shown is by the order of the parts."""
    return {**found, "partial_unexpected_list": len(found.get("partial_unexpected_list", []))}


def recounted(made: SmallLake) -> list:
    """The laws' verdicts on all days."""
    return list(made.laws_by_day(*DAYS).values())


@pytest.mark.nightly
@pytest.mark.parametrize(("rows_at_once", "rows_of_a_task"), [(4, 1 << 20), (15, 1 << 20), (1 << 20, 4), (2, 9)])
def test_expectations_on_parts_find_what_they_find_on_the_whole(tmp_path, monkeypatch, rows_at_once, rows_of_a_task):
    made = make_lake(Config(tmp_path, tmp_path), asked(), random_events(seed=3, count=60), constrained=False)
    for spoil, holds in ((None, True), (spoilt, False)):
        if spoil:
            spoil(made)
        at_once = validated(made)
        assert all(passed for _, passed, _, table in at_once[0] if table == made.tables.audit.name) == holds
        with monkeypatch.context() as patched:
            patched.setattr(validation, "ROWS_AT_ONCE", rows_at_once)
            patched.setattr(expectations, "ENOUGH_ROWS", rows_of_a_task)
            assert validated(made, slots=1 << 20) == at_once


def test_an_expectation_that_can_not_be_checked_on_a_part_can_not_be_on_the_whole():
    """Whatever the order in which the library has a part's results: what fails comes first."""
    right = {"element_count": 2, "unexpected_count": 0, "unexpected_percent": 0.0, "partial_unexpected_list": []}
    raised = {"a metric": {"raised_exception": True, "exception_message": "no such column"}}
    parts = [
        result_of(one=(True, right, {}), other=(True, right, {})),
        result_of(other=(False, {}, raised), one=(True, right, {})),
        result_of(one=(True, right, {}), other=(True, right, {})),
    ]
    whole = merged(parts)
    found = {name_of(each): (each["success"], each["result"].get("element_count")) for each in whole["results"]}
    assert found == {"one": (True, 6), "other": (False, None)}
    assert not whole["success"] and whole["statistics"]["unsuccessful_expectations"] == 1
    assert next(each["exception_info"] for each in whole["results"] if not each["success"]) == raised


def result_of(**found: tuple) -> Result:
    """A part's, by the expectations' names: whether they hold, what was found, and what was raised."""
    results = [
        {"success": passed, "expectation_config": {"meta": {"name": name}}, "result": counted, "exception_info": raised}
        for name, (passed, counted, raised) in found.items()
    ]
    return {"success": all(each["success"] for each in results), "results": results, "suite_name": "suite"}


def test_a_validation_that_is_cut_off_between_parts_leaves_no_result(tmp_path, monkeypatch):
    made = make_lake(Config(tmp_path, tmp_path), asked(), random_events(seed=3, count=60), constrained=False)
    monkeypatch.setattr(validation, "ROWS_AT_ONCE", 4)
    monkeypatch.setattr(validation, "as_pandas", ended_at_the_third(validation.as_pandas))
    with pytest.raises(KeyboardInterrupt):
        validated(made)
    assert not list(kept(made.config))


def ended_at_the_third(made: Callable) -> Callable:
    """As a signal does."""
    calls = itertools.count(1)

    def call(rows: pa.Table) -> object:
        if next(calls) == 3:
            raise KeyboardInterrupt
        return made(rows)

    return call


def test_a_key_is_cut_also_where_smaller_keys_come_after_it(tmp_path, monkeypatch):
    made = make_lake(Config(tmp_path, tmp_path), asked(), random_events(seed=11, count=80), constrained=False)
    recount = open_recount(Lake(made.config), made.audited(DAYS[1]))
    sizes = dict(recount.rows("SELECT key_number, count(*) FROM spans GROUP BY key_number"))
    monkeypatch.setattr(final_values, "EVENTS_AT_ONCE", most := max(sizes.values()) - 1)
    parts = list(final_values._parts(recount))
    whole = [part for part in parts if (part.low, part.high) == final_values.EVERY_NUMBER]
    together = [sum(sizes[key] for key in range(part.first_key, part.last_key + 1)) for part in whole]
    assert len(whole) < len(parts) and max(together) < 2 * most
    assert {key for part in parts for key in range(part.first_key, part.last_key + 1)} == set(sizes)


@pytest.mark.nightly
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
