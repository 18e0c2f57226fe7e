"""Features equal the plain oracle's: nothing that had not arrived leaks, and nothing is missing."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random

import pandas
import polars
import pyarrow as pa
import pytest

import windrow
from tests.support.oracle import features as oracle
from windrow.pipelines.features import probing
from windrow.pipelines.features.newest_rows import read_columns
from windrow.pipelines.features.probing import AskedFeatures, feature_parts, features_of
from windrow.pipelines.gate.recount.plain.aggregates import is_same
from windrow.pipelines.rows.arrays import TIME
from windrow.schemas import registry
from windrow.schemas.errors import AggregateFailed, BadInput, WrongParameter
from windrow.schemas.feature_set import FeatureSet, latest
from windrow.schemas.query import Query, agg, session, sliding

BEGIN = datetime(2024, 3, 9, tzinfo=UTC)
MINUTE, HOUR, US = timedelta(minutes=1), timedelta(hours=1), timedelta(microseconds=1)
KEYS = ("east", "west", "ö", None)
WINDOWS = {"1us": US, "10min": 10 * MINUTE, "1h": HOUR, "5h": 5 * HOUR, "9d": timedelta(days=9)}
AGGREGATES = {
    "n": agg("count"),
    "n_members": agg("count", where="member"),
    "parts": agg("sum", "parts"),
    "sum": agg("sum", "weight"),
    "mean": agg("mean", "weight", where="parts > 0 OR member IS NULL"),
    "least": agg("min", "weight"),
    "most": agg("max", "parts * 2 - 1"),
    "first": agg("first", "name"),
    "last": agg("last", "parts"),
    "median": agg("median", "weight"),
    "names": agg("count_distinct", "name"),
    "heaviest": agg("argmax", "weight", "parts"),
    "run": agg("longest_run", "weight"),
    "std": agg("std", "weight"),
}
ASKED = FeatureSet("asked", "none", ("place", "kind"), WINDOWS, AGGREGATES, where="kind <> 3 OR kind IS NULL")


def events(random: Random, count: int) -> list[dict]:
    """Late, early, out of order, in bursts and at equal times, of few keys."""
    found = []
    for number in range(count):
        start = BEGIN + random.randrange(0, 2 * 1440, 5) * MINUTE + random.choice((0, 0, 0, 1, 7)) * US
        delay = random.choice((-20, 0, 0, 0, 5, 30, 240, 2000)) * MINUTE
        found.append({
            "place": random.choice(KEYS), "kind": random.choice((1, 1, 2, 3, None)),
            "name": random.choice((None, "a", "ä", "b")), "member": random.choice((True, False, None)),
            "parts": random.choice((None, random.randrange(-9, 9))),
            "weight": random.choice((None, random.uniform(-5, 5) * 10 ** random.randrange(6))),
            "start": start, "end": start, "arrival": start + delay, "seq": number, "order": number,
        })  # fmt: skip
    return found


def labels(random: Random, count: int, known: list[dict]) -> list[dict]:
    """At any time, before the first event and behind the last, and at the very times of events; some twice; also of
    keys that have no events."""
    found = []
    for number in range(count):
        at = BEGIN + timedelta(seconds=random.randrange(-86_400, 4 * 86_400))
        if known and random.random() < 0.5:
            at = random.choice(known)[random.choice(("start", "arrival"))] + random.choice((-1, 0, 1)) * US
            at += random.choice((timedelta(0), *WINDOWS.values()))
        place = random.choice((*KEYS, f"nowhere {number}"))
        found.append({"place": place, "kind": random.choice((1, 2, 3, None, 9)), "asked_at": at, "label": number})
    return found + random.sample(found, len(found) // 10)


EVENT = pa.schema([
    ("place", pa.string()), ("kind", pa.int64()), ("name", pa.string()), ("member", pa.bool_()), ("parts", pa.int64()),
    ("weight", pa.float64()), ("start", TIME), ("end", TIME), ("arrival", TIME), ("seq", pa.int64()),
])  # fmt: skip
LABEL = pa.schema([("place", pa.string()), ("kind", pa.int64()), ("asked_at", TIME), ("label", pa.int64())])


def wrong(happened: list[dict], asking: list[dict], knowledge: str = "both") -> Iterator[str]:
    """Values that differ from the oracle's, of all labels; and how many there were to differ."""
    table, asked = pa.Table.from_pylist(happened, EVENT), pa.Table.from_pylist(asking, LABEL)
    made = AskedFeatures.of(table, asked, "asked_at", ASKED, knowledge)
    found = features_of(asked, made).to_pylist()
    assert [row["label"] for row in found] == [row["label"] for row in asking]
    by_label = {row["label"]: row for row in found}
    in_parts = pa.concat_tables(feature_parts(asked, made)).to_pylist()
    assert len(in_parts) == len(found)
    assert all(row == by_label[row["label"]] for row in in_parts)
    for row in found:
        right = oracle.features(row, row["asked_at"], happened, ASKED, knowledge)
        assert set(row) == {*right, *LABEL.names}
        for name, exact in right.items():
            each = AGGREGATES[next(key for key in sorted(AGGREGATES, key=len)[::-1] if name.startswith(f"{key}_"))]
            if not is_same(each, happened, row[name], exact):
                yield f"{name} of label {row['label']}: {row[name]!r}, not {exact!r}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_features_are_those_of_the_events_that_had_arrived_to_the_microsecond(seed, monkeypatch):
    random = Random(seed)
    monkeypatch.setattr(probing, "VALUES_AT_ONCE", random.choice((1, 700, 1 << 24)))
    happened = events(random, random.choice((0, 1, 40, 300)))
    assert [*wrong(happened, labels(random, random.choice((0, 1, 60, 150)), happened))] == []


def test_a_table_is_in_the_labels_order_and_batches_have_its_rows(monkeypatch):
    monkeypatch.setattr(probing, "VALUES_AT_ONCE", 700)
    random = Random(5)
    happened = events(random, 300)
    asking = pa.Table.from_pylist([{**row, "label": n} for n, row in enumerate(labels(random, 200, happened))], LABEL)
    given = pa.Table.from_pylist(happened, EVENT), asking, ASKED, "both"
    table, batches = windrow.features_table(*given), [*windrow.features_batches(*given)]
    assert table.select(LABEL.names).equals(asking)
    assert len(batches) > 10
    assert pa.Table.from_batches(batches).sort_by("label").equals(table)


def test_a_sum_beyond_int64_names_its_key_and_window_in_whatever_part_it_is(monkeypatch):
    monkeypatch.setattr(probing, "VALUES_AT_ONCE", 1)
    asked = FeatureSet("asked", "none", ("place",), {"1h": HOUR}, {"parts": agg("sum", "parts")})
    happened = [
        {"place": place, "parts": parts, "start": BEGIN, "end": BEGIN, "arrival": BEGIN, "seq": seq}
        for seq, (place, parts) in enumerate([("a", 1), ("b", 7), ("c", (1 << 63) - 1), ("c", 1)])
    ]
    asking = [{"place": place, "asked_at": BEGIN + number * MINUTE} for number in (0, 1) for place in "abc"]
    given = pa.Table.from_pylist(happened, EVENT), pa.Table.from_pylist(asking, LABEL), asked
    with pytest.raises(
        AggregateFailed, match=r"place='c', window \[2024-03-08 23:00.* the greatest 92.*07"
    ) as of_table:
        windrow.features_table(*given)
    batches = windrow.features_batches(*given)
    assert [batches.read_next_batch()["parts_1h"].to_pylist() for _ in range(4)] == [[1], [1], [7], [7]]
    with pytest.raises(AggregateFailed) as of_batches:
        batches.read_next_batch()
    assert str(of_batches.value) == str(of_table.value)


def pandas_frame(rows: pa.Table) -> pandas.DataFrame:
    """As a part of another is: with an index that has no name. Few categories have numbers of 8 bits."""
    return rows.to_pandas().astype({"place": "category"}).set_axis(range(1, len(rows) + 1))


def polars_frame(rows: pa.Table) -> polars.DataFrame:
    return polars.from_arrow(rows).with_columns(polars.col("place").cast(polars.Categorical), text=polars.lit("ä"))


def chunks(rows: pa.Table) -> pa.Table:
    each = [rows.slice(0, 7), rows.slice(7, 0), rows.slice(7)]
    return pa.concat_tables(part.set_column(0, "place", part["place"].dictionary_encode()) for part in each)


@pytest.mark.parametrize("of_events", [pandas_frame, polars_frame, chunks, pa.Table.to_reader])
@pytest.mark.parametrize("of_labels", [pandas_frame, polars_frame, chunks, pa.Table.to_reader])
def test_features_are_the_same_whichever_library_has_the_events_and_the_labels(of_events, of_labels):
    random = Random(6)
    happened = events(random, 60)
    given = pa.Table.from_pylist(happened, EVENT), pa.Table.from_pylist(labels(random, 800, happened), LABEL)
    expected = windrow.features_table(*given, ASKED, "both")
    found = windrow.features_table(of_events(given[0]), of_labels(given[1]), ASKED, "both")
    text = ["text"] if of_labels is polars_frame else []
    assert found.column_names == [*LABEL.names, *text, *ASKED.columns("both")]
    assert found.drop_columns(text).to_pylist() == expected.to_pylist()


def test_of_no_labels_and_of_no_events_there_are_columns_and_zeros():
    asked = FeatureSet("asked", "none", ("place",), {"1h": HOUR}, {"n": agg("count")})
    happened, asking = EVENT.empty_table(), pa.table({"place": ["a"], "asked_at": pa.array([BEGIN], TIME)})
    without_types = happened.set_column(0, "place", pa.nulls(0)), pa.table({"place": pa.nulls(0), "at": pa.nulls(0)})
    for features in (windrow.features_table, lambda *given: windrow.features_batches(*given).read_all()):
        assert features(without_types[0], asking, asked)["n_1h"].to_pylist() == [0]
        assert features(happened, without_types[1], asked, "known", "at").column_names == ["place", "at", "n_1h"]


@pytest.mark.parametrize(
    ("changed", "error", "says"),
    [
        ({"knowledge": "Known"}, WrongParameter, "knowledge is 'Known'; allowed: known, true or both"),
        ({"features": ASKED.query}, WrongParameter, "features is 'Query'; allowed: a windrow.FeatureSet"),
        ({"labels": []}, WrongParameter, "labels is 'list'"),
        ({"time": ""}, WrongParameter, "--time is ''; allowed: a column of times with a zone: asked_at"),
        ({"labels": {"asked_at": [1, 1 << 61]}}, BadInput, "row 1 of the labels: asked_at is beyond ±36,533 years"),
        ({"labels": {"asked_at": [1, None]}}, BadInput, "row 1 of the labels: asked_at is null"),
    ],
)
def test_what_is_no_question_names_what_is_wrong_with_it(changed, error, says):
    if isinstance(changed.get("labels"), dict):
        times = pa.array(changed["labels"]["asked_at"], TIME)
        changed = {"labels": pa.table({"place": pa.nulls(2), "kind": pa.nulls(2), "asked_at": times})}
    given = {"events": EVENT.empty_table(), "labels": LABEL.empty_table(), "features": ASKED, **changed}
    for features in (windrow.features_table, windrow.features_batches):
        with pytest.raises(error, match=says):
            features(**given)


@pytest.mark.parametrize(("windows", "aggregates"), [(WINDOWS, {}), ({}, AGGREGATES)])
def test_windows_without_aggregates_and_aggregates_without_windows_are_refused(windows, aggregates):
    with pytest.raises(WrongParameter, match="aggregates and windows together, or latest alone"):
        FeatureSet("asked", "none", (), windows, aggregates, latest={"demand": latest("bikes_demand", "trips")})


@pytest.mark.nightly
@pytest.mark.takes(120)
def test_of_a_million_values_none_leaks_and_none_is_missing():
    random = Random(7)
    happened = events(random, 1_000)
    asking = labels(random, 6_500, happened)
    assert 2 * len(AGGREGATES) * len(WINDOWS) * len(asking) > 1_000_000
    assert [*wrong(happened, asking)] == []


def rows_of(random: Random, of: Query, count: int) -> list[dict]:
    """Revisions of windows as a query's table has them; some windows are gone by their last one."""
    found = []
    for _ in range(count):
        start = BEGIN + random.randrange(48) * HOUR
        row = {
            "place": random.choice(KEYS),
            "window_start": start,
            "window_end": start + random.choice((1, 2, 5)) * HOUR,
        }
        row |= {"window_number": random.randrange(2)} if "window_number" in of.window_identity else {}
        if any(all(row[name] == other[name] for name in of.window_identity) for other in found):
            continue
        emitted = row["window_end"] + random.randrange(-60, 300) * MINUTE
        for revision in range(random.randrange(1, 4)):
            is_gone = not of.window.context_free and random.random() < 0.2
            counted = {"events": 0 if is_gone else revision + 1, "n": None if is_gone else random.randrange(99)}
            found.append({**row, "revision": revision, "emitted_at": emitted, **counted})
            emitted += random.randrange(1, 600) * MINUTE
    return random.sample(found, len(found))


@pytest.mark.parametrize("window", [sliding(2 * HOUR, HOUR), session(HOUR)], ids=["sliding", "session"])
@pytest.mark.parametrize("key", [("place",), ()], ids=["key", "no key"])
def test_the_newest_row_of_a_query_is_the_one_that_was_known(window, key, monkeypatch):
    of = Query("rows_of_places", "none", key, window, {"n": agg("count")}, HOUR, HOUR)
    monkeypatch.setitem(registry.queries(), of.name, of)
    for seed in range(20):
        random = Random(seed)
        rows, asking = rows_of(random, of, random.choice((0, 3, 60))), labels(random, 80, [])
        newest = latest(of.name, "n", "window_end", at_most=random.choice((None, timedelta(0), 5 * HOUR)))
        asked = FeatureSet("asked", "none", ("place", "kind"), {}, {}, latest={"row": newest})
        types = {"place": pa.string(), "window_start": TIME, "window_end": TIME, "emitted_at": TIME}
        schema = pa.schema([(name, types.get(name, pa.int64())) for name in read_columns(newest)])
        known = {of.name: pa.Table.from_pylist(rows, schema)}
        table = EVENT.empty_table(), pa.Table.from_pylist(asking, LABEL)
        made = AskedFeatures.of(*table, "asked_at", asked, "both", known)
        for row in pa.concat_tables(feature_parts(table[1], made)).to_pylist():
            for suffix in ("", "_true"):
                right = oracle.newest(row, row["asked_at"], rows, of, newest, bool(suffix))
                expected = (None, None, None) if right is None else (right[0]["n"], right[0]["window_end"], right[1])
                assert (row[f"row_n{suffix}"], row[f"row_window_end{suffix}"], row[f"row_age_s{suffix}"]) == expected
