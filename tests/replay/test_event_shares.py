"""However the events of a day are cut into shares, by buckets, keys or time, their rows are those of no cut."""

from dataclasses import replace
from datetime import timedelta

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.replay.test_stage import ORDER, read_written
from tests.support.replay import toy
from tests.support.replay.work import replayed_of, work_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta import new_files
from windrow.pipelines.delta.file_commits import replace_partitions
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import write_rows
from windrow.pipelines.engines import engine_of
from windrow.pipelines.engines.file_rows import Range
from windrow.pipelines.replay import audit, replay_plan
from windrow.pipelines.replay.replay_plan import EventShare
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.model import Model, heavy
from windrow.schemas.query import Query, agg, rolling, sliding, spanning, tumbling
from windrow.schemas.tables import silver_table
from windrow.schemas.windows import Window

HOUR = timedelta(hours=1)
EXACT = {
    "n": agg("count"),
    "parts_sum": agg("sum", "parts"),
    "parts_mean": agg("mean", "parts"),
    "weight_sum": agg("sum", "weight"),
    "weight_mean": agg("mean", "weight"),
    "heaviest": agg("max", "weight"),
    "first": agg("first", "weight"),
}
COMMUTING = {name: each for name, each in EXACT.items() if name != "first"}
ROUNDED = {**EXACT, "weight_std": agg("std", "weight")}
CUT_BYTES = 400  # of a few rows


def query(name: str, window, key: tuple[str, ...] = ("place",), emit: str = "watermark", aggregates=None) -> Query:
    return Query(name, "toy", key, window, aggregates or EXACT, HOUR, 12 * HOUR, emit, ())


def windows(name: str, key: tuple[str, ...] = ("place",), emit: str = "watermark", **of: Window) -> Query:
    return replace(query(name, rolling(HOUR), key, emit), window=None, windows=of)


def model(name: str, key: tuple[str, ...]) -> Model:
    """Its function sees every event of a window, in order: of what it adds up the last bits would differ."""
    of = {"function": heavy("autoregression", "weight", order=1), "aggregates": {"n": agg("count")}}
    return Model(name=name, stream="toy", key=key, window=sliding(2 * HOUR, HOUR), lateness=HOUR,
                 allowed_lateness=12 * HOUR, **of)  # fmt: skip


CUT_IN_TIME = [
    query("slides", sliding(2 * HOUR, HOUR)),
    query("slides_by_arrival", sliding(2 * HOUR, HOUR), emit="arrival"),
    query("slides_by_final", sliding(HOUR, 3 * HOUR), emit="final"),
    query("by_calendar", tumbling(2 * HOUR, zone="America/New_York")),
    query("rolls", rolling(2 * HOUR)),
    query("rolls_before", rolling(2 * HOUR, closed="left")),
    query("rolls_by_final", rolling(2 * HOUR), emit="final"),
    query("spans", spanning(2 * HOUR, HOUR, longest=2 * HOUR), aggregates=COMMUTING),
    query("two_columns", sliding(2 * HOUR, HOUR), key=("kind", "place")),
    query("across_buckets", sliding(2 * HOUR, HOUR), key=("kind",)),
    query("spans_across_buckets", spanning(2 * HOUR, HOUR, longest=2 * HOUR), ("kind",), aggregates=COMMUTING),
    query("without_key", sliding(2 * HOUR, HOUR), key=()),
    windows("several", two=sliding(2 * HOUR, HOUR), rolls=rolling(HOUR), an_hour=tumbling(HOUR)),
    windows("several_across_buckets", key=("kind",), two=sliding(2 * HOUR, HOUR), an_hour=tumbling(HOUR)),
    model("farm_of_place", ("place",)),
    model("farm_across_buckets", ("kind",)),
]
NOT_CUT_IN_TIME = [
    query("rounded", sliding(2 * HOUR, HOUR), aggregates=ROUNDED),
    query("youngest", rolling(2 * HOUR), emit="arrival"),
    windows("youngest_of_several", emit="arrival", youngest=rolling(2 * HOUR), hour=tumbling(HOUR)),
    query("rounded_across_buckets", sliding(2 * HOUR, HOUR), ("kind",), aggregates=ROUNDED),
]
ALL = [pytest.param(each, id=each.name) for each in (*CUT_IN_TIME, *NOT_CUT_IN_TIME)]


@pytest.fixture
def lake(config, monkeypatch) -> Lake:
    """Random events, most of two keys, of which one is null, in files of many row groups."""
    rows = toy.events(seed=3, per_day=150)
    for hot, some in (("hot", rows[::2]), (None, rows[1::4])):
        for row in some:
            row["place"] = hot
    toy.build(config, rows)
    lake, silver = Lake(config), silver_table(toy.STREAM)
    monkeypatch.setattr(new_files, "ROWS_PER_GROUP", 8)
    written = lake.read(silver.name).sort_by([(name, "ascending") for name in silver.sort_by])
    replace_partitions(lake, silver, "arrival_date", toy.days(), write_rows(lake, silver, written))
    return lake


@pytest.fixture
def taken(monkeypatch) -> list[EventShare]:
    """The shares that tasks are given."""
    shares: list[EventShare] = []
    replay_share = audit.replay_share
    monkeypatch.setattr(
        audit, "replay_share", lambda lake, work, share: shares.append(share) or replay_share(lake, work, share)
    )
    return shares


def rows_of(lake: Lake, asked: Query, day) -> tuple[dict, set[Range]]:
    """Rows and counts, and the panes that they come from."""
    tables = QueryTables.of(asked)
    written = replayed_of(lake, engine_of(lake.config), tables, day)
    counts = sum((each.counts[day] for each in written), audit.keys_by_kernel(written, day))
    rows = {kind: read_written(lake, asked, kind, written).to_pylist() for kind in ORDER}
    return {"counts": counts, **{kind: list(map(repr, of_kind)) for kind, of_kind in rows.items()}}, {
        each.pane for each in written
    }


def cut_small(monkeypatch) -> None:
    monkeypatch.setattr("windrow.pipelines.engines.engine.LEAST_BYTES", 1)
    monkeypatch.setattr(Config, "task_bytes", CUT_BYTES)
    monkeypatch.setattr(replay_plan, "LEAST_PANE", 1)


def again(lake: Lake) -> Lake:
    """Another configuration, as settings are read once."""
    return Lake(Config(lake.config.home, lake.config.landing))


@pytest.mark.slow
@pytest.mark.parametrize("asked", ALL)
def test_rows_are_those_of_no_cut(lake, taken, monkeypatch, asked):
    for day in (toy.FIRST_DAY + timedelta(days=3), toy.LAST_DAY):
        whole, _ = rows_of(lake, asked, day)
        taken.clear()
        with monkeypatch.context() as small:
            cut_small(small)
            cut, panes = rows_of(again(lake), asked, day)
        assert all(whole[kind] for kind in ORDER)
        assert cut == whole
        if "place" in asked.key:
            keys = [str(share.keys) for share in taken]
            assert '(place == "hot")' in keys and any(each.startswith("is_null(place") for each in keys)
            assert any("(place >" in each for each in keys)
        assert (len(panes) > 1) == (asked in CUT_IN_TIME)


@pytest.mark.jvm
@pytest.mark.parametrize("asked", [each for each in ALL if "place" not in each.values[0].key])
def test_rows_that_spark_gathers_in_panes_are_those_of_no_cut(lake, monkeypatch, asked):
    whole, _ = rows_of(lake, asked, toy.LAST_DAY)
    cut_small(monkeypatch)
    monkeypatch.setenv("WINDROW_ENGINE", "spark")
    cut, panes = rows_of(again(lake), asked, toy.LAST_DAY)
    assert cut == whole
    assert (len(panes) > 1) == (asked in CUT_IN_TIME)


@pytest.mark.slow
def test_what_is_exact_can_be_cut_in_time(lake):
    for asked in (*CUT_IN_TIME, *NOT_CUT_IN_TIME):
        work = work_of(lake, QueryTables.of(asked), toy.LAST_DAY)
        assert (work.halo_us is not None) == (asked in CUT_IN_TIME), asked.name


@given(st.dictionaries(st.none() | st.integers(0, 30), st.integers(1, 100), max_size=12), st.integers(1, 150))
def test_ranges_of_keys_hold_each_key_once(bytes_from, limit):
    rows = pa.table({"key": [None, *range(-1, 32)]})
    ranges = replay_plan._ranges(bytes_from, limit, rows.schema.field("key"))
    parts = [rows.filter(keys) for keys, _, _ in ranges]
    assert pa.concat_tables(parts).sort_by("key").to_pylist() == rows.sort_by("key").to_pylist()
    assert sum(size for _, size, _ in ranges) == sum(bytes_from.values())
    for part, (_, size, alone) in zip(parts, ranges, strict=True):
        assert size <= limit or part["key"].to_pylist() == [*alone]
