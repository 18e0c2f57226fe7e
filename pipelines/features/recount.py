"""The law of features: those of some labels are what plain Python counts again from silver.

    A label's feature is the aggregate, exactly, of the events of silver with the label's key that start in
    (T − size, T] and, as known, arrived by T; and there is a row for each label.

Labels are drawn by chance, as many as have few enough events in the longest window.
"""

import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from windrow.pipelines import storage
from windrow.pipelines.delta.day_files import parquet
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile
from windrow.pipelines.features.probe_work import ProbeWork
from windrow.pipelines.gate.recount import expressions, sql
from windrow.pipelines.gate.recount.plain.aggregates import EXACT, TOLERANCES, aggregate, is_same
from windrow.pipelines.gate.recount.tables import TableVersion, add_view, open_recount_database
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.rows.arrays import stored
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.feature_set import AGE_S, KNOWN, SUFFIX, Latest, knowledges
from windrow.schemas.registry import personal_columns, query
from windrow.schemas.windows import MICROSECOND

NAME = "law of features: drawn labels are what silver says"
LABELS, EVENTS = 100, 100_000
"""At most so many labels are drawn, with so many events in all; of one label alone, ten times as many."""
CANDIDATES, ROW_GROUPS = 2 * LABELS, 8
"""So many are drawn first, from so many row groups: the others aren't read."""
ALLOWED = "0 features differ, a row a label"


def recounted(lake: Lake, work: ProbeWork, files: list[NewFile], labels: int) -> Verdict:
    """What the law says of files that no commit names yet. O(silver of the labels' days + events drawn)."""
    assert work.table is not None, "features are in files"
    rows = sum(file.rows for file in files)
    wrong, drawn = list[str](), list[int]()
    if files:
        candidates = _candidates(lake, work, files)
        with open_recount_database(lake) as database:
            drawn = _draw(database, lake, work, candidates)
            found = {label: row for label, row in enumerate(candidates.to_pylist()) if label in {*drawn}}
            wrong = [text for label, row in found.items() for text in _differing(database, work, label, row)]
            wrong += _differing_rows(database, lake, work, found)
    counted = f"{len(wrong)} features of {len(drawn)} labels, drawn of {labels:,}, differ; {rows:,} rows"
    first = f": {wrong[0]}" if wrong else ""
    return Verdict(NAME, not wrong and rows == labels, counted + first, ALLOWED, None, work.table.name)


def _candidates(lake: Lake, work: ProbeWork, files: list[NewFile]) -> pa.Table:
    """Rows of some row groups, in the order in which they are looked at."""
    assert work.table is not None, "features are in files"
    chance = np.random.default_rng(zlib.crc32(repr(sorted(work.versions.items())).encode()))
    groups = []
    for file in files:
        with storage.parquet(lake.folder(work.table.name) / file.path) as opened:
            groups += [(file.path, number) for number in range(opened.metadata.num_row_groups)]
    parts = []
    for path, number in (groups[place] for place in chance.permutation(len(groups))[:ROW_GROUPS]):
        with storage.parquet(lake.folder(work.table.name) / path) as opened:
            parts.append(opened.read_row_group(number))
    rows = pa.concat_tables(parts)
    return rows.take(chance.permutation(len(rows))[:CANDIDATES])


def _draw(database: duckdb.DuckDBPyConnection, lake: Lake, work: ProbeWork, candidates: pa.Table) -> list[int]:
    """Which of the candidates are looked at: in turn those whose events are few enough next to those of the labels
    before them.

    labels   (label, asked_us, key_0, key_1, …) of all candidates: no name of a label's own column gets into SQL
    events   of those that are drawn, with `label`
    """
    numbered = {"label": pa.array(range(len(candidates)), pa.int64()), "asked_us": stored(candidates[work.time])}
    keys = {f"key_{place}": candidates[name] for place, name in enumerate(work.key)}
    database.register("labels", pa.table({**numbered, **keys}))
    silver = TableVersion(lake, work.source.silver, work.versions[work.source.silver.name])
    add_view(database, "silver", silver, work.arrival_days)
    known = "epoch_us(s.arrival) <= l.asked_us" if work.knowledge == KNOWN else "TRUE"
    asked = f"""silver s JOIN labels l ON {_same(work.key, work.key, "s")} AND {known}
            AND epoch_us(s.start) <= l.asked_us AND epoch_us(s.start) > l.asked_us - {work.longest_us}
        WHERE {expressions.where(work.features.query.condition, "s", expressions.types_of(database, "silver"))}"""
    counts = dict.fromkeys(range(len(candidates)), 0)
    counts |= dict(database.execute(f"SELECT l.label, count(*) FROM {asked} GROUP BY l.label").fetchall())
    drawn, left = list[int](), EVENTS
    for label, events in counts.items():
        if events <= left and len(drawn) < LABELS:
            drawn.append(label)
            left -= events
    least = min(counts, key=counts.__getitem__)
    if not drawn and counts[least] <= 10 * EVENTS:
        drawn = [least]
    of_drawn = f"l.label IN ({sql.literals(drawn)})"
    database.execute(f"CREATE TEMP TABLE events AS SELECT l.label, s.* FROM {asked} AND {of_drawn}")
    return drawn


def _same(columns: tuple[str, ...], key: tuple[str, ...], relation: str) -> str:
    """SQL: whether a relation's columns are those of the label, some of whose key they are."""
    pairs = (f"{relation}.{sql.name(name)} IS NOT DISTINCT FROM l.key_{key.index(name)}" for name in columns)
    return " AND ".join(pairs) or "TRUE"


def _differing(database: duckdb.DuckDBPyConnection, work: ProbeWork, label: int, row: dict) -> Iterator[str]:
    in_order = f"SELECT * FROM events WHERE label = {label} ORDER BY start, arrival, path, line, reading"
    events, asked = _rows(database, in_order), row[work.time]
    for knowledge in knowledges(work.knowledge):
        known = [each for each in events if knowledge != KNOWN or each["arrival"] <= asked]
        for window, size in work.features.windows.items():
            held = [each for each in known if each["start"] <= asked and asked - each["start"] < size]
            for name, each in work.features.aggregates.items():
                feature = f"{name}_{window}{SUFFIX[knowledge]}"
                if each.function in {*EXACT, *TOLERANCES} and (exact := _exact(each, held, row[feature])):
                    stream = work.features.stream
                    key = ", ".join(f"{name}={_shown(row[name], [name], stream)}" for name in work.key)
                    written, counted = (_shown(value, each.read_columns, stream) for value in (row[feature], exact[0]))
                    yield f"{feature} of {key} at {asked} is {written}, and {counted} by silver"


def _differing_rows(
    database: duckdb.DuckDBPyConnection, lake: Lake, work: ProbeWork, found: dict[int, dict]
) -> Iterator[str]:
    """Of rows of queries, of all drawn labels."""
    for (name, asked), knowledge in product(work.features.latest.items(), knowledges(work.knowledge)):
        files = lake.files(asked.query, work.versions[asked.query])
        right = _newest(database, work, asked, files, knowledge == KNOWN) if files else {}
        for label, row in found.items():
            for column, expected in _of_row(right.get(label), asked, row[work.time]).items():
                feature = f"{name}_{column}{SUFFIX[knowledge]}"
                if row[feature] != expected:
                    of = query(asked.query)
                    read = of.aggregates[column].read_columns if column in of.aggregates else [column]
                    written, counted = (_shown(value, read, of.stream) for value in (row[feature], expected))
                    yield f"{feature} at {row[work.time]} is {written}, and {counted} by {asked.query}"


def _shown(value: object, columns: Iterable[str], stream: str) -> str:
    """A value of some columns, unless it says of which person an event is."""
    return "a person" if personal_columns(stream).intersection(columns) else repr(value)


def _of_row(newest: dict | None, asked: Latest, at: datetime) -> dict:
    if newest is None:
        return dict.fromkeys((*asked.columns, AGE_S))
    age_us = max(at - newest["window_end"], timedelta(0)) // MICROSECOND
    # Of centuries float64 rounds the microseconds.
    return {**{column: newest[column] for column in asked.columns}, AGE_S: float(age_us) / 1_000_000}


def _newest(
    database: duckdb.DuckDBPyConnection, work: ProbeWork, asked: Latest, files: list[str], as_known: bool
) -> dict[int, dict]:
    """By label the row of the newest window: of each window the last revision counts, unless it is gone by that."""
    of = query(asked.query)
    number = "r.window_number" if "window_number" in of.window_identity else "0"
    known = "epoch_us(r.emitted_at) <= l.asked_us" if as_known else "epoch_us(r.window_end) - 1 <= l.asked_us"
    most_us = sql.NEVER_US if asked.at_most is None else sql.microseconds(asked.at_most)
    found = _rows(
        database,
        f"""
        WITH last AS (
            SELECT l.label AS of_label, l.asked_us AS of_us, {number} AS of_number, r.*
            FROM {parquet(QueryTables.of(of).results, files)} r
                JOIN labels l ON {_same(of.key, work.key, "r")} AND {known}
            QUALIFY r.revision = max(r.revision) OVER (
                PARTITION BY l.label, r.window_start, r.window_end, {number}))
        SELECT * FROM (
            FROM last WHERE events > 0
            QUALIFY row_number() OVER (
                PARTITION BY of_label ORDER BY window_end DESC, window_start DESC, of_number DESC) = 1)
        WHERE of_us - epoch_us(window_end) <= {most_us}""",
    )
    return {row["of_label"]: row for row in found}


def _exact(each: Any, held: list[dict], found: Any) -> tuple[Any] | None:
    """The right value where another was found."""
    try:
        exact = aggregate(each, held) if held else (0 if each.function in ("count", "count_distinct") else None)
    except OverflowError:  # of infinite values, which no other sum has
        return None
    return None if is_same(each, held, found, exact) else (exact,)


def _rows(database: duckdb.DuckDBPyConnection, statement: str) -> list[dict]:
    found: pa.Table = database.sql(statement).to_arrow_table()
    return found.to_pylist()
