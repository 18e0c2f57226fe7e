"""Daily tasks give the rows of the replay in memory: on both engines, in any shares and batches, by both routes."""

import re
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.local import late_table, replay_table
from tests.support.replay import toy
from tests.support.replay.work import audit_day, replayed_of
from windrow.pipelines.config import ENGINES, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.engines.spark.engine import SparkEngine
from windrow.pipelines.engines.spark.spark_session import session
from windrow.pipelines.replay.task import WrittenShare
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.errors import BadInput
from windrow.schemas.query import Query, agg, month, rolling, sliding, spanning, tumbling
from windrow.schemas.windows import Window

pytestmark = pytest.mark.jvm

AGGREGATES = {
    "n": agg("count"),
    "weighed": agg("count", "weight"),
    "parts_sum": agg("sum", "parts"),
    "weight_sum": agg("sum", "weight"),
    "weight_mean": agg("mean", "weight"),
    "heaviest": agg("max", "weight"),
    "fewest": agg("min", "parts"),
}
OF_ALL_VALUES = {
    "weight_median": agg("median", "weight"),
    "parts_high": agg("quantile", "parts", q=0.9, exact=True),
    "places": agg("count_distinct", "place"),
    "usual_place": agg("mode", "place"),
    "next_place": agg("top_k", "place", k=2),
    "last_place": agg("last", "place"),
    "about_places": agg("approx_distinct", "place"),
}
EXPRESSED = {
    "heavy": agg("count", where="weight > 100 AND kind = 1"),
    "each_weight": agg("max", "weight / parts", where="place <> 'east' OR kind IS NULL"),
    "doubled": agg("sum", "2 * parts - kind"),
    "light_place": agg("last", "place", where="weight < parts"),
}
ROUNDED = {"result": ["weight_sum", "weight_mean"], "late": []}
ORDER = {"result": ("window_start", "window_end", "revision"), "late": ("arrival", "path", "line", "reading")}
MOST_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
HOUR = timedelta(hours=1)
SIX_HOURS = sliding(6 * HOUR, HOUR)


def query(name: str, key: tuple[str, ...] = ("place",), window=SIX_HOURS, emit="watermark", where: tuple = ()) -> Query:
    """A query of the toy stream."""
    return Query(name, "toy", key, window, AGGREGATES, HOUR, 12 * HOUR, emit, where)


def windows(name: str, key: tuple[str, ...] = ("place",), emit="watermark", **of: Window) -> Query:
    """The same of several windows."""
    return replace(query(name, key, emit=emit), window=None, windows=of)


BY_BUCKET = [
    query("by_watermark"),
    query("by_arrival", emit="arrival"),
    query("by_final", emit="final"),
    query("two_columns", key=("kind", "place")),
    query("filtered", where=(("parts", ">", 0),)),
    query("by_calendar", window=tumbling(timedelta(days=1), datetime(2024, 1, 1, 6), "America/New_York")),
    query("by_month", window=month(zone="America/New_York"), emit="arrival"),
    query("gaps_between", window=sliding(HOUR, 3 * HOUR)),
    query("rolls", window=rolling(6 * HOUR)),
    query("rolls_before", window=rolling(6 * HOUR, closed="left")),
    query("spans", window=spanning(4 * HOUR, HOUR, longest=5 * HOUR)),
    query("spans_by_final", window=spanning(150 * toy.MINUTE, HOUR, longest=7 * HOUR), emit="final"),
    query("rolls_by_arrival", window=rolling(6 * HOUR), emit="arrival"),
    windows("together", six=SIX_HOURS, rolls=rolling(2 * HOUR), by_month=month(), spans=spanning(4 * HOUR, HOUR)),
    windows("one_of_several", hour=tumbling(HOUR)),
]
BY_SHUFFLE = [
    query("one_group", key=()),
    query("other_key", key=("kind",)),
    query("other_spans", key=("kind",), window=spanning(4 * HOUR, HOUR, longest=5 * HOUR), emit="arrival"),
    query("other_rolls", key=("kind",), window=rolling(6 * HOUR)),
    replace(query("expressed", where="parts >= kind OR parts < 0"), aggregates=AGGREGATES | EXPRESSED),
    windows("others_together", ("kind",), "arrival", rolls=rolling(HOUR), day=tumbling(24 * HOUR), six=SIX_HOURS),
    replace(query("of_all_values", key=("kind",)), aggregates=AGGREGATES | OF_ALL_VALUES),
]


@pytest.fixture
def lake_of_toys(config):
    """A lake of random events, and the events."""
    rows = toy.events(seed=7)
    toy.build(config, rows)
    return config, rows


@contextmanager
def setting_of_spark(config, name: str, value: str):
    settings = session(config).conf
    before = settings.get(name)
    settings.set(name, value)
    yield
    settings.set(name, before)


@contextmanager
def in_shares(config, count: int):
    """As many tasks as that, by bucket and by shuffle."""
    with pytest.MonkeyPatch.context() as patch, setting_of_spark(config, "spark.sql.shuffle.partitions", str(count)):
        patch.setattr("windrow.pipelines.engines.engine.LEAST_BYTES", 1)
        patch.setattr(SparkEngine, "slots", count)
        with setting_of_spark(config, "spark.sql.adaptive.coalescePartitions.enabled", "false"):
            yield


def stage(config, asked: Query, day, engine: str = "spark") -> dict[str, pa.Table]:
    """What the tasks write of one day: result rows and late rows, sorted as their tables are."""
    lake, tables = Lake(config), QueryTables.of(asked)
    engines = Config(config.home, config.landing, asked_engine=engine)
    written = replayed_of(lake, engine_of(engines), tables, day)
    return {kind: read_written(lake, asked, kind, written) for kind in ORDER}


def read_written(lake: Lake, asked: Query, kind: str, written: list[WrittenShare]) -> pa.Table:
    """Rows that tasks have written and no process has committed, sorted as their table is."""
    tables = QueryTables.of(asked)
    table = tables.audit if kind == "result" else tables.late_audit
    schema = pa.schema([field for field in lake.schema(table) if field.name not in table.partition_by])
    paths = [lake.folder(table.name) / file.path for each in written for file in getattr(each, kind)]
    parts = [pq.ParquetFile(path).read().cast(schema) for path in paths]
    return _sorted(pa.concat_tables([schema.empty_table(), *parts]), [*asked.key, *asked.name_column, *ORDER[kind]])


def _sorted(rows: pa.Table, columns: list[str]) -> pa.Table:
    return rows.sort_by([(name, "ascending") for name in columns]).combine_chunks()


def same(found: pa.Table, expected: pa.Table) -> bool:
    """Equal to the last bit in all columns that both have; `seq` stands for path, line and reading."""
    names = [name for name in expected.column_names if name != "seq"]
    return _bits(found.select(names)) == _bits(expected.select(names))


def _bits(rows: pa.Table) -> list[dict]:
    plain = rows.cast(pa.schema([pa.field(field.name, field.type) for field in rows.schema]))
    return [
        {name: value.hex() if isinstance(value, float) else value for name, value in row.items()}
        for row in plain.to_pylist()
    ]


ALL = [pytest.param(each, id=each.name) for each in (*BY_BUCKET, *BY_SHUFFLE)]
BUSY_DAY = toy.FIRST_DAY + timedelta(days=3)


@pytest.mark.few(2)
@pytest.mark.parametrize("asked", ALL)
def test_rows_do_not_depend_on_shares_or_batches(lake_of_toys, asked):
    """Arrow batches of three rows cut keys and bursts. The local engine's days are held against one replay below."""
    config, _ = lake_of_toys
    expected = stage(config, asked, BUSY_DAY, "local")
    for count, most_rows in ((1, "10000"), (2, "10000"), (7, "10000"), (2, "3")):
        with in_shares(config, count), setting_of_spark(config, MOST_ROWS, most_rows):
            found = stage(config, asked, BUSY_DAY)
        assert len(found["result"]) and (len(found["late"]) or asked.name == "by_month")  # none ends in the toy
        assert all(same(found[kind], expected[kind]) for kind in ORDER), (count, most_rows)


@pytest.mark.few(2)
@pytest.mark.parametrize("asked", ALL)
def test_daily_runs_of_both_engines_say_together_what_one_long_replay_says(lake_of_toys, asked):
    """Each day from its own look-back, the last one to the end of the stream; one day has no events."""
    config, rows = lake_of_toys
    here, made = ([stage(config, asked, day, engine) for day in toy.days()] for engine in ENGINES[::-1])
    assert all(same(*(each[kind] for each in of_day)) for of_day in zip(here, made, strict=True) for kind in ORDER)
    table = toy.event_table(rows, asked)
    long = {"result": replay_table(table, asked, complete=True), "late": late_table(table, asked, complete=True)}
    for kind, order in ORDER.items():
        joined = _sorted(pa.concat_tables([day[kind] for day in made]), [*asked.key, *asked.name_column, *order])
        assert same(joined.drop_columns(ROUNDED[kind]), long[kind].drop_columns(ROUNDED[kind]))
        assert all(_near(*pair) for pair in zip(joined.to_pylist(), long[kind].to_pylist(), strict=True))


def _near(found: dict, expected: dict) -> bool:
    """Within 1e-9 of the sum of magnitudes (semantics §4), which is at most that of the heaviest weights."""
    return all(
        (found[name] is None) == (expected[name] is None)
        and abs((found[name] or 0) - (expected[name] or 0)) <= 1e-9 * found["weighed"] * toy.HEAVIEST
        for name in ROUNDED["result"]
        if name in found
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_an_overflow_in_a_task_is_reported_in_one_sentence_and_nothing_is_written(config, monkeypatch, engine):
    monkeypatch.setenv("WINDROW_ENGINE", engine)
    rows = [{**row, "place": "east", "parts": 2**62} for row in toy.events(seed=1, per_day=9)]
    toy.build(config, rows)
    with pytest.raises(BadInput, match="beyond int64") as raised:
        audit_day(Lake(config), QueryTables.of(BY_BUCKET[0]), BUSY_DAY)
    assert "Traceback" not in str(raised.value)
    said = rf"values the least is {2**62} \(file-\d+, line \d+\), the greatest .* line \d+\)$"
    assert re.search(said, str(raised.value))
    assert Lake(config).read("by_watermark_late_audit").num_rows == 0
