"""A late file makes stale the runs that read a day it touches, no others; redone, all is as if it came in time."""

from datetime import UTC, date, datetime, timedelta

import pytest

from pipelines.lake.lake import Lake
from pipelines.ledger import runs as ledger
from pipelines.ledger.entry import Run
from pipelines.ledger.stale import stale
from pipelines.runs.backfill import backfill
from pipelines.runs.replay_day import replay_day
from schemas import registry
from schemas.tables import RUNS
from tests.support.lakes import DAYS, PATIENT, QUERIES, ingest
from tests.support.replay import landing
from tests.support.replay.reading import published_rows

pytestmark = PATIENT
# New York's days have up to 25 hours.
LONGEST = {
    "bikes_daily": timedelta(hours=25),
    "bikes_demand": timedelta(days=1),
    "bikes_last_hour": timedelta(hours=1),
}


def days_read(name: str, day: date, events: list[dict]) -> set[date]:
    """The arrival days that a run of a day must read, written again from the text of semantics §4."""
    query, midnight = registry.query(name), datetime(day.year, day.month, day.day, tzinfo=UTC)
    before = [row["start"] for row in events if row["arrival"] < midnight]
    if not before:
        return {day - timedelta(days=n) for n in range((day - registry.stream("bikes").first_day).days + 1)}
    first = max(before) - query.lateness - query.allowed_lateness - LONGEST[name]
    if query.window.kind == "rolling":
        first = min([first, *(row["start"] for row in events if row["arrival"].date() == day)])
    return {first.date() + timedelta(days=n) for n in range((day - first.date()).days + 1)}


def test_nothing_is_stale_after_a_backfill(first_published):
    assert stale(Lake(first_published)) == []


def test_a_late_file_makes_exactly_the_runs_stale_that_it_touches(published, tmp_path_factory):
    landing.write(published.landing, landing.late_file())
    ingest(published, "bikes")
    found = {(each.query, each.day) for each in stale(Lake(published))}
    touched, before = landing.arrival_days(landing.late_file()), landing.events(landing.trips())
    runs = [(name, day) for name in QUERIES for day in DAYS]
    assert found == {(name, day) for name, day in runs if days_read(name, day, before) & touched}
    assert set() < found < set(runs)
    for name, day in sorted(found):
        replay_day(published, name, day)
    assert stale(Lake(published)) == []
    _assert_as_if_in_time(published, tmp_path_factory.mktemp("in_time"))


def _assert_as_if_in_time(redone, folder) -> None:
    from pipelines.config import Config

    config = Config(folder / "home", folder / "landing")
    landing.write(config.landing, {**landing.trips(), **landing.late_file()})
    ingest(config, "bikes")
    backfill(config, "bikes_demand", DAYS[0], DAYS[-1])
    assert published_rows(redone, "bikes_demand") == published_rows(config, "bikes_demand")


def _recorded_with(config, **other) -> None:
    """Record a run of another day whose audit differs from the present in one column."""
    day = DAYS[-1] + timedelta(days=1)
    audited = ledger.latest(Lake(config), "bikes_demand", DAYS[-1], "audit")
    versions = {**audited.outputs, "audit": 1_000}
    with ledger.step(Lake(config), Run("other", "bikes", "bikes_demand", day), "audit") as entry:
        entry.inputs, entry.outputs = audited.inputs, versions
    rows = Lake(config).read(RUNS.name).to_pylist()
    changed = [{**row, **other} if row["run_id"] == "other" else row for row in rows]
    Lake(config).replace(RUNS, {}, changed)
    with ledger.step(Lake(config), Run("other", "bikes", "bikes_demand", day), "publish") as entry:
        entry.inputs = versions


@pytest.mark.parametrize("column, reason", [("code_hash", "code"), ("definition_hash", "definition")])
def test_other_code_or_definitions_make_a_run_stale(published, column, reason):
    _recorded_with(published, **{column: "something else"})
    (only,) = stale(Lake(published))
    assert (only.run_id, only.day) == ("other", DAYS[-1] + timedelta(days=1)) and reason in only.reasons[0]


def test_a_publication_that_was_cut_off_is_named(published):
    ended = ledger.latest(Lake(published), "bikes_daily", DAYS[1], "publish")
    with (
        pytest.raises(KeyboardInterrupt),
        ledger.step(Lake(published), Run("cut", "bikes", "bikes_daily", DAYS[1]), "publish"),
    ):
        raise KeyboardInterrupt
    (only,) = stale(Lake(published))
    assert (only.query, only.day, only.run_id) == (
        "bikes_daily",
        DAYS[1],
        ended.run_id,
    ) and "cut" in only.reasons[0]


def test_a_first_publication_that_was_cut_off_is_named_too(published):
    day = DAYS[-1] + timedelta(days=1)
    with (
        pytest.raises(KeyboardInterrupt),
        ledger.step(Lake(published), Run("cut", "bikes", "bikes_daily", day), "publish"),
    ):
        raise KeyboardInterrupt
    (only,) = stale(Lake(published))
    assert (only.query, only.day, only.run_id) == ("bikes_daily", day, "cut")


def test_days_without_rows_that_share_a_version_are_distinguished(published):
    fresh = ledger.latest(Lake(published), "bikes_demand", DAYS[-1], "audit")
    first, second = (DAYS[-1] + timedelta(days=n) for n in (1, 2))
    for day, inputs in ((first, {**fresh.inputs, "days": {}}), (second, fresh.inputs)):
        with ledger.step(Lake(published), Run("empty", "bikes", "bikes_demand", day), "audit") as entry:
            entry.inputs, entry.outputs = inputs, fresh.outputs
        with ledger.step(Lake(published), Run("empty", "bikes", "bikes_demand", day), "publish") as entry:
            entry.inputs = fresh.outputs
    assert [each.day for each in stale(Lake(published))] == [first]
