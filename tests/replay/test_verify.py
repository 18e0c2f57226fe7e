"""`windrow verify`: a lake keeps the replay contract in every way; one that doesn't is reported with table and day."""

import shutil
from itertools import product

import pytest

from tests.support.digests import digests_by_day
from tests.support.lakes import DAYS, PATIENT
from windrow.pipelines.cli._errors import DEFECT
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.upkeep import verify as verification
from windrow.pipelines.upkeep.replay_ways import WAYS, ReplayWay, forwards
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp

pytestmark = [PATIENT, pytest.mark.slow]
QUERY, MEAN = "bikes_daily", "mean_trip_duration_s"
# All but two: in what order days come, an engine doesn't know.
ORDERS = {"newest day first", "days in a random order"}
ON_SPARK = [
    pytest.param("spark", way, marks=[pytest.mark.jvm, pytest.mark.takes(75)])
    for way in WAYS[1:]
    if way.name not in ORDERS
]


@pytest.fixture
def verify(published, run):
    """Type `windrow verify`; returns exit code, what was compared by its way, and stderr."""

    def typed(*words: str) -> tuple[int, dict[str, dict], str]:
        ended = run(published, "verify", *words, "--json")
        return ended.code, {row["way"]: row for row in ended.json}, ended.error

    return typed


def named(value: str | ReplayWay) -> str:
    return value if isinstance(value, str) else value.name


def only(monkeypatch, *ways: ReplayWay) -> None:
    monkeypatch.setattr(verification, "WAYS", (WAYS[0], *ways))


@pytest.mark.nightly
@pytest.mark.parametrize(("engine", "way"), [*product(["local"], WAYS[1:]), *ON_SPARK], indirect=["engine"], ids=named)
def test_every_way_gives_the_same_rows_and_the_lake_stays_as_it_is(published, verify, engine, way, monkeypatch):
    only(monkeypatch, way)
    lake = Lake(published)
    versions, before = {name: lake.version(name) for name in lake.names()}, digests_by_day(published, [QUERY])
    code, found, _ = verify(QUERY, "--days", "2")
    assert found.keys() == {*(way.name for way in verification.WAYS), verification.PUBLISHED}
    assert {row["result"] for row in found.values()} == {"equal"} and code == 0
    rows = sum(counted for (_, day), (counted, *_) in before.items() if day in DAYS[-2:])
    assert {row["rows"] for row in found.values()} == {rows} and rows > 0
    assert {name: lake.version(name) for name in lake.names()} == versions
    assert digests_by_day(published, [QUERY]) == before and not list(published.trials.iterdir())


@pytest.mark.nightly
def test_published_rows_that_are_others_are_reported_with_their_table_and_day(published, verify, monkeypatch):
    only(monkeypatch)
    lake, table = Lake(published), QueryTables.of(registry.query(QUERY)).results
    rows = [row for row in lake.read(QUERY).to_pylist() if row["emitted_date"] == DAYS[2]]
    # Least and greatest values stay: neither the ledger nor Delta's log can see it.
    first = rows[0]
    second = next(row for row in rows if row[MEAN] != first[MEAN])
    first[MEAN], second[MEAN] = second[MEAN], first[MEAN]
    lake.replace(table, {"emitted_date": [DAYS[2]]}, rows)
    code, found, error = verify(QUERY, "--days", "3")
    assert found[verification.PUBLISHED]["result"] == "differs" and code == DEFECT
    assert f"{QUERY} of {DAYS[2]}" in error and "other values" in error


@pytest.mark.nightly
def test_a_way_that_loses_a_day_is_reported(verify, monkeypatch):
    only(monkeypatch, ReplayWay("leaves a day out", lambda config, query, days: forwards(config, query, days[1:])))
    code, found, error = verify(QUERY, "--days", "2")
    assert (found["leaves a day out"]["result"], code) == ("differs", DEFECT)
    assert f"{QUERY} of {DAYS[-2]}: 0 rows" in error


@pytest.mark.nightly
def test_what_cannot_be_compared_says_why(published, verify, monkeypatch):
    needy = [way for way in WAYS if way.in_any_order or way.needs_files or way.needs_panes]
    only(monkeypatch, *needy)
    backfill(published, ["bikes_refill"], (DAYS[0], DAYS[1])).require()
    shutil.rmtree(published.landing / "bikes")
    code, found, _ = verify("bikes_refill")
    whys = {way: row["why"] for way, row in found.items() if row["result"] == "not compared"}
    assert whys.keys() == {way.name for way in needy}
    assert "oldest first is the only order" in found["newest day first"]["why"] and code == 0
    assert "have left the landing folder" in found[WAYS[-1].name]["why"]


def test_a_query_of_which_nothing_is_published_is_refused(published, run):
    assert run(published, "verify", "bikes_refill").code == NotSetUp.exit_code
