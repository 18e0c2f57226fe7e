"""How a day's rows, keys and events are cut into parts that are checked one by one. That a cut does not show:
test_days_together.py and test_days_at_once.py."""

import itertools
from collections.abc import Callable

import pyarrow as pa
import pytest

from tests.support.small_lake import DAYS, STREAM, asked, make_lake, random_events
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.gate import validation
from windrow.pipelines.gate.gate import Gate, key_shares
from windrow.pipelines.gate.recount import final_values
from windrow.pipelines.gate.recount.opening import recounts
from windrow.pipelines.gate.recount.query_days import ALL_KEYS, KeyShare
from windrow.pipelines.gate.validation_results import Result, kept, merged, name_of

pytestmark = pytest.mark.slow


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
        Gate(Lake(made.config), engine_of(made.config)).check_audit(made.audited(*DAYS))
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
    opened = recounts(Lake(made.config), made.audited(DAYS[1]))
    recount = next(opened)
    sizes = dict(recount.rows("SELECT key_number, count(*) FROM spans GROUP BY key_number"))
    monkeypatch.setattr(final_values, "EVENTS_AT_ONCE", most := max(sizes.values()) - 1)
    parts = list(final_values._parts(recount))
    whole = [part for part in parts if (part.low, part.high) == final_values.EVERY_NUMBER]
    together = [sum(sizes[key] for key in range(part.first_key, part.last_key + 1)) for part in whole]
    assert len(whole) < len(parts) and max(together) < 2 * most
    assert {key for part in parts for key in range(part.first_key, part.last_key + 1)} == set(sizes)


BUCKETS = [KeyShare(buckets=(bucket,)) for bucket in range(STREAM.buckets)]
SLOTS = 5
OF_SLOTS = [KeyShare(part=part, parts=SLOTS) for part in range(SLOTS)]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "key, expected", [(("key",), BUCKETS), (("key", "whole"), BUCKETS), (("whole",), OF_SLOTS)], ids=str
)
def test_rows_are_cut_by_bucket_or_by_key(tmp_path, monkeypatch, key, expected):
    """Buckets are of the stream's key: those of another key may be in all of them."""
    made = make_lake(Config(tmp_path, tmp_path), asked(key=key), random_events(seed=5, count=80))
    lake, engine, whole = Lake(made.config), engine_of(made.config), made.laws_by_day(*DAYS)
    assert key_shares(lake, engine, made.audited(*DAYS)) == [ALL_KEYS]
    monkeypatch.setattr("windrow.pipelines.engines.engine.LEAST_BYTES", 1)
    monkeypatch.setattr(type(engine), "slots", SLOTS)
    assert key_shares(lake, engine, made.audited(*DAYS)) == expected
    assert made.laws_by_day(*DAYS) == whole
