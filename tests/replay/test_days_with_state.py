"""Windows that depend on their key's other events, day by day: the rows are those of one replay of all days, whatever
the kind, the emit, the engine and the cuts; each day goes on from what the one before it left."""

from datetime import timedelta
from itertools import product
from random import Random

import pyarrow as pa
import pytest

from tests.support.local import late_table, replay_table
from tests.support.replay import toy
from tests.support.replay.work import run_day
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import code_hash, run_table
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.query import EMITS, Query, agg, count, delta, frame, policy, session, slide_by_tuple
from windrow.schemas.side_tables import CARRIED
from windrow.schemas.tables import bucket_of

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(1)]

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
WINDOWS = {
    "session": session(HOUR),
    "session_by_column": session("parts", 10 * MINUTE),
    "count_as_they_arrive": count(7, 3),
    "count_by_event_time": count(5, 4, "event_time"),
    "delta": delta("parts", 6, 3),
    "slide_by_tuple": slide_by_tuple(5 * HOUR, 3),
    "policy": policy("until", most=6, length_us=4 * HOUR // timedelta(microseconds=1)),
    "threshold": frame.threshold("parts", 0, 2, MINUTE),
    "delta_frame": frame.delta("weight", 1_000.0),
    "aggregate_frame": frame.aggregate("sum", "parts", 9),
    "boundary_frame": frame.boundary("parts", 5),
}
AGGREGATES = {"n": agg("count"), "parts_sum": agg("sum", "parts"), "heaviest": agg("max", "weight")}
PAIRS = list(product(WINDOWS, EMITS))
BEFORE_THE_END = toy.days()[-2]
KEYS = {"by_bucket": ("place",), "by_key": ("kind",), "of_all": ()}


def asked(kind: str, emit: str = "watermark", key: tuple[str, ...] = ("place",), **changes) -> Query:
    """A query of the toy stream."""
    of = {"lateness": HOUR, "allowed_lateness": 12 * HOUR, "emit": emit, **changes}
    return Query(name=f"asked_{kind}", stream="toy", key=key, window=WINDOWS[kind], aggregates=AGGREGATES, **of)


@pytest.fixture
def toys(config, monkeypatch) -> tuple[Config, list[dict]]:
    """A lake of random events, and the events. Its queries have no files."""
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    rows = toy.events(seed=11)
    toy.build(config, rows, bucket_of)
    return config, rows


def run_all(config: Config, query: Query) -> None:
    lake, tables = Lake(config), QueryTables.of(query)
    for day in toy.days():
        run_day(lake, tables, day)


def audited(config: Config, query: Query) -> tuple[pa.Table, pa.Table]:
    """Rows and late rows of all days, sorted as a replay's are."""
    tables, lake = QueryTables.of(query), Lake(config)
    rows = [(name, "ascending") for name in (*query.window_identity, "revision")]
    late = [(name, "ascending") for name in (*query.key, "arrival", "path", "line")]
    return lake.read(tables.audit.name).sort_by(rows), lake.read(tables.late_audit.name).sort_by(late)


def assert_one_replay(config: Config, events: list[dict], query: Query) -> None:
    rows, late = audited(config, query)
    table = toy.event_table(events, query)
    whole, whole_late = replay_table(table, query, complete=True), late_table(table, query)
    assert len(whole) and rows.select(whole.column_names).to_pylist() == whole.to_pylist()
    shared = [name for name in whole_late.column_names if name != "seq"]
    assert late.select(shared).to_pylist() == whole_late.select(shared).to_pylist()


@pytest.mark.parametrize(("kind", "emit"), PAIRS)
def test_days_one_by_one_are_one_replay_of_all(toys, kind, emit):
    (config, events), chance = toys, Random(f"{kind} {emit}")
    where = chance.choice(((), (("parts", "not_null", None),)))
    query = asked(kind, emit, chance.choice([*KEYS.values()]), where=where)
    run_all(config, query)
    assert_one_replay(config, events, query)


@pytest.mark.jvm
@pytest.mark.parametrize("key", ["by_key", "by_bucket", "of_all"])
def test_spark_goes_on_from_what_the_local_engine_left_in_as_many_parts_as_you_like(toys, key, monkeypatch):
    config, events = toys
    query = asked("count_by_event_time", key=KEYS[key])
    tables = QueryTables.of(query)
    for number, day in enumerate(toy.days()):
        engine = ("local", "spark")[number % 2]
        with monkeypatch.context() as small:
            small.setattr("windrow.pipelines.engines.engine.LEAST_BYTES", 1)
            small.setattr(Config, "task_bytes", 4_000)
            run_day(Lake(Config(config.home, config.landing, asked_engine=engine)), tables, day)
    assert_one_replay(config, events, query)


def test_a_day_that_is_run_again_goes_on_from_the_same_state_and_leaves_the_same(toys):
    config, _ = toys
    query = asked("session")
    run_all(config, query)
    before = audited(config, query), Lake(config).read(QueryTables.of(query).state.name).to_pylist()
    first = run_day(Lake(config), QueryTables.of(query), toy.days()[1])
    again = run_day(Lake(config), QueryTables.of(query), toy.days()[1])
    assert first.versions.state_digest == again.versions.state_digest
    assert first.inputs == again.inputs
    after = audited(config, query), Lake(config).read(QueryTables.of(query).state.name).to_pylist()
    assert [each.to_pylist() for each in after[0]] == [each.to_pylist() for each in before[0]]
    assert sorted(after[1], key=repr) == sorted(before[1], key=repr)


@pytest.mark.nightly
def test_what_was_left_has_a_size_in_the_ledger_and_passed_windows_are_not_in_it(toys):
    config, _ = toys
    long, short = (asked("session", allowed_lateness=hours * HOUR) for hours in (200, 1))
    sizes = []
    for query in (long, short):
        run_all(config, query)
        asked_of_ledger = [("query", "=", query.name), ("step", "=", "audit"), ("logical_date", "=", BEFORE_THE_END)]
        last = run_table.rows(Lake(config), asked_of_ledger)[-1]
        state = Lake(config).read(f"state_{query.name}", filters=[("logical_date", "=", BEFORE_THE_END)])
        assert last.counts["state_keys"] == len(state) and last.counts["state_bytes"] > 0
        sizes.append(sum(map(len, state[CARRIED].to_pylist())))
    assert sizes[1] < sizes[0] / 2
