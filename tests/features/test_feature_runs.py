"""A run of a feature set over a lake: its table has the oracle's features on both engines, however labels and events
are cut; the law finds a wrong value; the same run again gives the same rows; another silver makes it stale."""

import re
from datetime import timedelta
from random import Random

import pyarrow as pa
import pytest

from tests.support.engines import ENGINES
from tests.support.lakes import PATIENT
from tests.support.oracle import features as oracle
from tests.support.replay import landing
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.features import probe_work, probing, recount
from windrow.pipelines.features import run as runs
from windrow.pipelines.features.feature_runs import FeatureRequest
from windrow.pipelines.features.run import AskedLabels, features_of, make_features
from windrow.pipelines.features.stale import stale_features
from windrow.pipelines.replay import replay_plan
from windrow.pipelines.rows.arrays import TIME
from windrow.pipelines.upkeep.day_plan import carry_out, plan
from windrow.schemas.errors import GateFailed, WrongParameter
from windrow.schemas.feature_set import FeatureSet, latest
from windrow.schemas.query import agg

pytestmark = [PATIENT]
HOUR = timedelta(hours=1)
WINDOWS = {"1h": HOUR, "1d": 24 * HOUR}
AGGREGATES = {
    "n": agg("count"),
    "members": agg("count", where="user_type = 'Subscriber'"),
    "mean_min": agg("mean", "trip_duration_s / 60"),
    "last": agg("last", "end_station_id"),
}
INTO, KEYS = "training", [("start_station_id",), ("end_station_id",), ()]


def by(*key: str, **aggregates) -> FeatureSet:
    return FeatureSet("by", "bikes", key, WINDOWS, {**AGGREGATES, **aggregates})


def silver(config: Config) -> list[dict]:
    rows = Lake(config).read("silver_bikes").sort_by([(each, "ascending") for each in ("path", "line", "reading")])
    return [{**row, "order": number} for number, row in enumerate(rows.to_pylist())]


def labels(config: Config, count: int = 200, seed: int = 1) -> pa.Table:
    """At stations and none, at and near the times of trips."""
    chance, trips = Random(seed), silver(config)
    stations = sorted({trip["start_station_id"] for trip in trips})
    asked = [chance.choice(trips)[chance.choice(("start", "arrival"))] for _ in range(count)]
    moved = [at + chance.choice((-1, 0, 1, 60_000_000)) * timedelta(microseconds=1) for at in asked]
    of_station = [chance.choice([*stations, -1]) for _ in range(count)]
    columns = {"start_station_id": of_station, "end_station_id": of_station[::-1], "label": [*range(count)]}
    columns |= {"row": [*range(count)], "number": ["a"] * count, "arrival": [*range(count)]}
    return pa.table({**columns, "asked_at": pa.array(moved, TIME)})


def written(config: Config, features: FeatureSet, asked: pa.Table) -> list[dict]:
    """The rows that the tasks of a run write."""
    lake, of = Lake(config), AskedLabels.of(features, asked, "both", None)
    work, _ = runs._work(lake, of, of.table(INTO))
    lake.ensure(of.table(INTO))
    shares = probe_work.feature_shares(lake, engine_of(config), work, of.rows)
    files = [lake.folder(INTO) / file.path for share in shares for file in share.files]
    rows = pa.concat_tables([pa.parquet.read_table(file) for file in files])
    assert sum(share.labels for share in shares) == len(rows) == len(asked)
    return rows.sort_by("label").to_pylist()


@pytest.mark.slow
@ENGINES
@pytest.mark.parametrize(
    "key", [("start_station_id",), ("end_station_id",), ()], ids=["bucketed", "shuffled", "no key"]
)
def test_features_are_the_oracles_whatever_the_shares(ingested, engine, key, monkeypatch):
    config, trips = Config(ingested.home, ingested.landing), silver(ingested)
    asked, features = labels(ingested), by(*key)
    rows = written(config, features, asked)
    for row in rows:
        assert {name: row[name] for name in features.columns("both")} == oracle.features(
            row, row["asked_at"], trips, features, "both"
        )
    assert features_of(config, features, asked, "both").to_pylist() == rows
    monkeypatch.setattr("windrow.pipelines.engines.engine.LEAST_BYTES", 1)
    monkeypatch.setattr(Config, "task_bytes", 4_000)
    monkeypatch.setattr(replay_plan, "LEAST_PANE", 1)
    monkeypatch.setattr(probing, "VALUES_AT_ONCE", 100)
    assert written(Config(ingested.home, ingested.landing), features, asked) == rows


@pytest.mark.parametrize(
    "into", ["bikes_demand", "bikes_demand_final", "bikes_demand_as_of", "silver_bikes", "erased_bikes", "runs", "A"]
)
def test_no_table_of_features_takes_the_name_of_another_table_or_view(into, tmp_path):
    with pytest.raises(WrongParameter, match=f"--into is '{into}'"):
        make_features(Config(tmp_path, tmp_path), FeatureRequest("bikes_station", "labels.csv", into))


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (by("no_column"), "key is 'no_column'"),
        (by(n_other=agg("sum", "no_column")), r"aggregates\['n_other'\] is 'no_column'"),
        (FeatureSet("by", "bikes", (), {}, {}, latest={"d": latest("bikes_demand", "trips")}), r"latest\['d'\]"),
        (by().query, "feature_set is 'Query'"),
    ],
)
def test_a_question_that_its_stream_has_no_answer_to_is_refused(asked, says, tmp_path):
    with pytest.raises(WrongParameter, match=says):
        features_of(Config(tmp_path, tmp_path), asked, pa.table({"start_station_id": [1], "asked_at": [1]}))


def made(config: Config, source: str, into: str = INTO, knowledge: str = "known"):
    return make_features(config, FeatureRequest("bikes_station", source, into, knowledge), lambda text: None)


@pytest.fixture
def file(published, tmp_path) -> str:
    """Labels as a user has them."""
    path = tmp_path / "labels.csv"
    rows = labels(published).select(["start_station_id", "label", "asked_at"]).to_pylist()
    lines = [f"{row['start_station_id']},{row['label']},{row['asked_at'].isoformat()}" for row in rows]
    path.write_text("\n".join(["start_station_id,label,asked_at", *lines]))
    return str(path)


@pytest.mark.slow
def test_a_run_again_from_its_own_table_gives_the_same_rows_and_none_of_the_future(published, file):
    lake = Lake(published)
    first = made(published, file, knowledge="both")
    rows = lake.read(INTO).sort_by("label")
    again = made(published, INTO, knowledge="both")
    assert lake.read(INTO).sort_by("label").equals(rows) and again.version == first.version + 1
    made(published, INTO)
    left = [name for name in rows.column_names if not name.endswith("_true")]
    assert lake.read(INTO).sort_by("label").equals(rows.select(left))
    assert not [name for name in lake.config.lake.iterdir() if name.name.endswith(".labels")]


@pytest.mark.slow
@pytest.mark.parametrize("column", ["trips_1d", "demand_trips", "demand_age_s"])
def test_a_wrong_value_keeps_the_table_as_it_was_or_empty_for_the_next_run(published, file, column, monkeypatch):
    lake, parts = Lake(published), probe_work.feature_parts

    def leaking(*asked):
        for part in parts(*asked):
            place = part.column_names.index(column)
            yield part.set_column(place, column, pa.array([7_777] * len(part), part.schema.field(column).type))

    def refused():
        with monkeypatch.context() as patched, pytest.raises(GateFailed, match=rf"{column}.* is 7777") as failed:
            patched.setattr(probe_work, "feature_parts", leaking)
            patched.setattr(recount, "personal_columns", lambda stream: frozenset(["start_station_id"]))
            made(published, file)
        assert ("start_station_id=a person" in str(failed.value)) == (column == "trips_1d")
        assert not re.search(r"start_station_id=[^a]", str(failed.value))

    refused()
    assert lake.row_count(INTO) == 0
    made(published, file)
    rows = lake.read(INTO)
    refused()
    assert lake.read(INTO).equals(rows)


@pytest.mark.slow
def test_what_lands_later_makes_a_table_stale_and_the_plan_makes_it_as_if_it_had_been_there(published, file, tmp_path):
    lake = Lake(published)
    made(published, file, knowledge="both")
    assert stale_features(lake) == []
    landing.write(published.landing, landing.late_file())
    planned = plan(published, [], lambda text: None)
    [found] = planned.features
    assert found.table == INTO and any("arrival day" in reason for reason in found.reasons)
    assert planned.steps[-1].command == f"windrow features bikes_station --labels {INTO} --into {INTO} --as both"
    carry_out(published, planned, lambda text: None)
    assert stale_features(lake) == []
    rows = lake.read(INTO).sort_by("label")
    made(published, file, into="another", knowledge="both")
    assert lake.read("another").sort_by("label").equals(rows)
