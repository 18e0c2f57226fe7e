"""The law of features: those of some labels are what plain Python counts again from silver.

    A label's feature is the aggregate, exactly, of the events of silver with the label's key that start in
    (T − size, T] and, as known, arrived by T; and there is a row for each label.

Labels are drawn by what the run reads, as many as have few enough events in the longest window.
"""

import zlib
from collections.abc import Iterator
from itertools import product
from typing import Any

import duckdb
import pyarrow as pa

from windrow.pipelines.delta.day_files import parquet
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile
from windrow.pipelines.features.probe_work import ProbeWork
from windrow.pipelines.features.probing import knowledges
from windrow.pipelines.gate.recount import expressions, sql
from windrow.pipelines.gate.recount.plain.aggregates import EXACT, TOLERANCES, aggregate, is_same
from windrow.pipelines.gate.recount.tables import TableVersion, add_view, open_recount_database
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.feature_set import KNOWN, SUFFIX, Latest
from windrow.schemas.registry import query

NAME = "law of features: drawn labels are what silver says"
LABELS, EVENTS = 100, 100_000
"""At most so many labels are drawn, with so many events in all."""
CANDIDATES = 10 * LABELS
ALLOWED = "0 features differ, a row a label"


def recounted(lake: Lake, work: ProbeWork, files: list[NewFile], labels: int) -> Verdict:
    """What the law says of files that no commit names yet. O(silver of the labels' days + events drawn)."""
    assert work.table is not None, "features are in files"
    rows = sum(file.rows for file in files)
    with open_recount_database(lake) as database:
        drawn: list[int] = []
        if files:
            _add_labels(database, lake, work, files)
            _add_events(database, lake, work)
            drawn = _drawn(database)
        wrong = [text for label in drawn for text in _differing(database, work, label)]
        wrong += _differing_rows(database, lake, work, drawn)
    counted = f"{len(wrong)} features of {len(drawn)} labels, drawn of {labels:,}, differ; {rows:,} rows"
    first = f": {wrong[0]}" if wrong else ""
    return Verdict(NAME, not wrong and rows == labels, counted + first, ALLOWED, None, work.table.name)


def _add_labels(database: duckdb.DuckDBPyConnection, lake: Lake, work: ProbeWork, files: list[NewFile]) -> None:
    """Candidates, in an order that what is read decides."""
    assert work.table is not None, "features are in files"
    rows = parquet(work.table, [f"{lake.folder(work.table.name)}/{file.path}" for file in files])
    seed = zlib.crc32(repr(sorted(work.versions.items())).encode())
    asked = ", ".join(map(sql.name, (*work.key, work.time)))
    database.execute(f"""
        CREATE TEMP TABLE labels AS
        SELECT row_number() OVER (ORDER BY hash({seed}, {asked})) AS label, *,
               epoch_us({sql.name(work.time)}) AS asked_us
        FROM {rows} QUALIFY label <= {CANDIDATES}""")


def _add_events(database: duckdb.DuckDBPyConnection, lake: Lake, work: ProbeWork) -> None:
    """The events that each may ask of."""
    silver = TableVersion(lake, work.source.silver, work.versions[work.source.silver.name])
    add_view(database, "silver", silver, work.arrival_days)
    same = sql.same(work.key, "l", "s")
    known = f"AND ({'TRUE' if work.knowledge != KNOWN else 'epoch_us(s.arrival) <= l.asked_us'})"
    database.execute(f"""
        CREATE TEMP TABLE events AS
        SELECT l.label, s.* FROM silver s JOIN labels l ON {same}
            AND epoch_us(s.start) <= l.asked_us AND epoch_us(s.start) > l.asked_us - {work.longest_us} {known}
        WHERE {expressions.where(work.features.query.condition, "s", expressions.types_of(database, "silver"))}""")


def _drawn(database: duckdb.DuckDBPyConnection) -> list[int]:
    """In turn those whose events are few enough, next to those of the labels before them."""
    found: list[int] = []
    left = EVENTS
    for label, events in database.execute("""
            SELECT l.label, count(e.label) FROM labels l LEFT JOIN events e USING (label)
            GROUP BY l.label ORDER BY l.label""").fetchall():
        if events <= left and len(found) < LABELS:
            found.append(label)
            left -= events
    return found


def _differing(database: duckdb.DuckDBPyConnection, work: ProbeWork, label: int) -> Iterator[str]:
    [row] = _rows(database, f"SELECT * FROM labels WHERE label = {label}")
    events = _rows(database, f"SELECT * FROM events WHERE label = {label} ORDER BY start, arrival, path, line, reading")
    asked = row[work.time]
    for knowledge in knowledges(work.knowledge):
        known = [each for each in events if knowledge != KNOWN or each["arrival"] <= asked]
        for window, size in work.features.windows.items():
            held = [each for each in known if asked - size < each["start"] <= asked]
            for name, each in work.features.aggregates.items():
                feature = f"{name}_{window}{SUFFIX[knowledge]}"
                if each.function in {*EXACT, *TOLERANCES} and (exact := _exact(each, held, row[feature])):
                    key = ", ".join(f"{name}={row[name]!r}" for name in work.key)
                    yield f"{feature} of {key} at {asked} is {row[feature]!r}, and {exact[0]!r} by silver"


def _differing_rows(
    database: duckdb.DuckDBPyConnection, lake: Lake, work: ProbeWork, drawn: list[int]
) -> Iterator[str]:
    """Of rows of queries, of all drawn labels."""
    for (name, asked), knowledge in product(work.features.latest.items(), knowledges(work.knowledge)):
        files = lake.files(asked.query, work.versions[asked.query])
        right = _newest(database, work, asked, files, knowledge == KNOWN) if files else {}
        for row in _rows(database, f"SELECT * FROM labels WHERE label IN ({sql.literals(drawn)})"):
            for column in asked.columns:
                feature, expected = f"{name}_{column}{SUFFIX[knowledge]}", right.get(row["label"], {}).get(column)
                if row[feature] != expected:
                    yield f"{feature} at {row[work.time]} is {row[feature]!r}, and {expected!r} by {asked.query}"


def _newest(
    database: duckdb.DuckDBPyConnection, work: ProbeWork, asked: Latest, files: list[str], as_known: bool
) -> dict[int, dict]:
    """By label the row of the newest window: of each window the last revision counts, unless it is gone by that."""
    of, at = query(asked.query), sql.name(work.time)
    number = "r.window_number" if "window_number" in of.window_identity else "0"
    known = f"r.emitted_at <= l.{at}" if as_known else f"r.window_end - INTERVAL 1 microsecond <= l.{at}"
    least = "TRUE" if asked.at_most is None else f"asked_us - epoch_us(window_end) <= {sql.microseconds(asked.at_most)}"
    found = _rows(
        database,
        f"""
        WITH last AS (
            SELECT r.*, l.label, l.asked_us, {number} AS number
            FROM {parquet(QueryTables.of(of).results, files)} r
                JOIN labels l ON {sql.same(of.key, "l", "r")} AND {known}
            QUALIFY r.revision = max(r.revision) OVER (
                PARTITION BY l.label, r.window_start, r.window_end, {number}))
        SELECT * FROM (
            FROM last WHERE events > 0
            QUALIFY row_number() OVER (
                PARTITION BY label ORDER BY window_end DESC, window_start DESC, number DESC) = 1)
        WHERE {least}""",
    )
    return {row["label"]: row for row in found}


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
