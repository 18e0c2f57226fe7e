"""The laws counted again on shares of keys give the verdicts of all keys at once, on right rows and on wrong ones."""

from random import Random

import pytest

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.engines import engine_of
from pipelines.gate.checks import find_in_rows, verdicts_on_rows
from pipelines.gate.gate import key_shares
from pipelines.gate.recount.opening import open_recount
from pipelines.gate.recount.query_days import ALL_KEYS, KeyShare
from tests.gate.test_days_at_once import spoil
from tests.support.small_lake import DAYS, STREAM, SmallLake, asked, make_lake, random_events

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(2)]

PARTS = [KeyShare(part=part, parts=3) for part in range(3)]
BUCKETS = [KeyShare(buckets=(bucket,)) for bucket in range(STREAM.buckets)]
OF_BUCKETS = [each._replace(part=part, parts=2) for each in BUCKETS for part in range(2)]


def verdicts(made: SmallLake, asked_for: list[KeyShare]) -> dict:
    """The laws' verdicts by day, from findings on each share."""
    of = made.audited(*DAYS)
    return verdicts_on_rows(of, [find_in_rows(open_recount(Lake(made.config), of, share)) for share in asked_for])


SLOTS = 5
OF_SLOTS = [KeyShare(part=part, parts=SLOTS) for part in range(SLOTS)]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "key, expected", [(("key",), BUCKETS), (("key", "whole"), BUCKETS), (("whole",), OF_SLOTS)], ids=str
)
def test_rows_are_cut_by_bucket_or_by_key(tmp_path, monkeypatch, key, expected):
    """Buckets are of the stream's key: those of another key may be in all of them."""
    query = asked("sliding", "watermark", key=key)
    made = make_lake(Config(tmp_path, tmp_path), query, random_events(seed=5, count=80))
    of, lake = made.audited(*DAYS), Lake(made.config)
    engine = engine_of(made.config)
    assert key_shares(lake, engine, of) == [ALL_KEYS]
    monkeypatch.setattr("pipelines.engines.engine.LEAST_BYTES", 1)
    monkeypatch.setattr(type(engine), "slots", SLOTS)
    cut = key_shares(lake, engine, of)
    assert cut == expected
    assert verdicts(made, cut) == verdicts(made, [ALL_KEYS])


CASES = [("tumbling", "final"), ("sliding", "watermark"), ("sliding", "arrival"), ("calendar day", "watermark"),
         ("rolling", "watermark"), ("rolling", "arrival"), ("spanning", "final")]  # fmt: skip


@pytest.mark.parametrize(("kind", "emit"), CASES)
def test_findings_on_shares_add_up_to_the_verdict_on_all_keys(tmp_path, kind, emit):
    made = make_lake(Config(tmp_path, tmp_path), asked(kind, emit), random_events(seed=7, count=80))
    right = verdicts(made, [ALL_KEYS])
    assert all(verdict.passed for of_day in right.values() for verdict in of_day)
    for cut in (PARTS, BUCKETS, OF_BUCKETS):
        assert verdicts(made, cut) == right
    spoil(made, Random(7))
    wrong = verdicts(made, [ALL_KEYS])
    assert not all(verdict.passed for of_day in wrong.values() for verdict in of_day)
    for cut in (PARTS, BUCKETS, OF_BUCKETS):
        assert verdicts(made, cut) == wrong
