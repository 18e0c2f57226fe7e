"""The lines of bronze that are a person's.

events        silver has them: the condition says so
duplicates    quarantine has their lines: they are parsed again, and the condition says so
refused       what a line that is no event means is known to none: it is theirs if it holds a value as a whole word
"""

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.erasure.person import Person
from windrow.pipelines.ingest import landing
from windrow.pipelines.ingest.erased import hash_of
from windrow.pipelines.ingest.files import LINES_LOST, known_files
from windrow.pipelines.ingest.parse import (
    LINE_COLUMNS,
    RECORDS_AT_ONCE,
    Parser,
    ParseRules,
    definition_now,
    read_side_inputs,
)
from windrow.pipelines.ingest.writes import choosers
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.erased import ERASED, erased_table
from windrow.schemas.errors import BadInput

EVENT = ["path", "line", "reading", "start", "arrival", "arrival_date"]
_NO_EVENTS = """
    SELECT path, line, text, damage FROM bronze ANTI JOIN silver USING (path, line)
    WHERE damage IS DISTINCT FROM '{}' AND ({})"""
_SHARED = """
    SELECT path, line FROM silver GROUP BY path, line
    HAVING bool_or(({0}) IS TRUE) AND bool_or(({0}) IS NOT TRUE) ORDER BY ALL LIMIT 1"""
_LINES = pa.schema([("path", pa.string()), ("line", pa.int64()), ("text", pa.string()), ("damage", pa.string())])
assert tuple(_LINES.names) == LINE_COLUMNS
_DUPLICATES = "SELECT path, line, text, NULL AS damage FROM quarantine WHERE reason = 'duplicate' AND text IS NOT NULL"


class FoundLines(NamedTuple):
    """rows: of `erased_<stream>`, one for each event, and one for each other line; without those whose text is gone
    from bronze already. paths: of all; events: how many silver has."""

    rows: pa.Table
    paths: tuple[str, ...]
    events: int


def lines_of(lake: Lake, tables: StreamTables, person: Person, run_id: str) -> FoundLines:
    """Silver and bronze are read once, and the lines of files that hold any once more. BadInput for a line that other
    persons' events are in, or whose neighbours need it."""
    rows = [*_events(lake, tables, person), *_no_events(lake, tables, person)]
    found = pa.concat_tables(rows, promote_options="default") if rows else pa.table({name: [] for name in EVENT})
    texts = _texts(lake, tables, found)
    hashes = [texts.get(place) for place in places(found)]
    _require_kept(lake, tables, {*found["path"].to_pylist()})
    columns = {name: found[name] for name in found.column_names}
    columns |= {"text_hash": hashes, "run_id": [run_id] * len(found)}
    schema = arrow_schema(erased_table(tables.stream))
    made = pa.table({name: columns.get(name, pa.nulls(len(found))) for name in schema.names})
    made = made.filter(pc.is_valid(made["text_hash"])).cast(schema)
    events = len(found) - found["arrival"].null_count if "arrival" in columns else 0
    return FoundLines(made, tuple(sorted({*found["path"].to_pylist()})), events)


def _events(lake: Lake, tables: StreamTables, person: Person) -> Iterator[pa.Table]:
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        database.register("silver", lake.dataset(tables.silver.name))
        for path, line in database.sql(_SHARED.format(person.condition)).fetchall():
            raise BadInput(
                f"line {line} of {path} also holds events of others, and a line is erased as a whole; put a file "
                f"without the person's values in its place, or remove all of it: windrow forget {path}"
            )
    columns = [*dict.fromkeys([*EVENT, *person.values])]
    for batch in lake.dataset(tables.silver.name).to_batches(columns=columns):
        rows = pa.Table.from_batches([batch])
        if (is_theirs := person.is_theirs(rows)).any():
            yield rows.filter(pa.array(is_theirs)).select(EVENT)


def _no_events(lake: Lake, tables: StreamTables, person: Person) -> Iterator[pa.Table]:
    holds = " OR ".join(["contains(text, ?)"] * len(person.texts))
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        for name, table in (("bronze", tables.bronze), ("silver", tables.silver), ("quarantine", tables.quarantine)):
            database.register(name, lake.dataset(table.name))
        refused: pa.Table = database.sql(_NO_EVENTS.format(ERASED, holds), params=[*person.texts]).to_arrow_table()
        duplicates: pa.Table = database.sql(_DUPLICATES).to_arrow_table()
    parser = Parser(_rules(lake, tables, {*refused["path"].to_pylist(), *duplicates["path"].to_pylist()}))
    found: set[tuple[str, int]] = set()
    for lines in (refused, duplicates):
        for batch in lines.cast(_LINES).to_batches(max_chunksize=RECORDS_AT_ONCE):
            found |= _theirs(parser, batch, person)
    if found:
        paths, numbers = zip(*sorted(found), strict=True)
        yield pa.table({"path": paths, "line": numbers, "reading": [0] * len(found)})


def _theirs(parser: Parser, lines: pa.RecordBatch, person: Person) -> set[tuple[str, int]]:
    """Of lines that silver has no event of: those with records of the person, and those without records that hold a
    value."""
    records = pa.Table.from_batches(parser.parse(lines), parser.schema)
    events = records.filter(pc.is_null(records["reason"]))
    of_lines = zip(places(lines), lines["text"].to_pylist(), strict=True)
    holding = {place for place, text in of_lines if person.words.search(text)}
    return {*places(events.filter(pa.array(person.is_theirs(events))))} | (holding - {*places(events)})


def places(rows: pa.Table | pa.RecordBatch) -> list[tuple[str, int]]:
    return [*zip(rows["path"].to_pylist(), rows["line"].to_pylist(), strict=True)]


def _rules(lake: Lake, tables: StreamTables, paths: set[str]) -> ParseRules:
    root, stream = lake.config.landing, tables.stream
    known = known_files(lake, tables.files)
    definition = definition_now(root, stream, landing.listing(root, stream), known)
    layouts = {path: row.layout for path, row in known.items()}
    rules = ParseRules(stream, definition.hash, layouts, read_side_inputs(root, stream, definition), {}, {})
    by_name = [path for path in paths if rules.by_name(path)]
    rules.headers.update({path: each.first for path, each in choosers(lake, tables, by_name).items()})
    return rules


def _texts(lake: Lake, tables: StreamTables, found: pa.Table) -> dict[tuple[str, int], str]:
    """Hash of each line, by path and number."""
    wanted, paths = {*places(found)}, pa.array(sorted({*found["path"].to_pylist()}), pa.string())
    damage, hashes = pc.field("damage"), {}
    of_paths = pc.field("path").isin(paths) & (damage.is_null() | (damage != ERASED))
    for batch in lake.dataset(tables.bronze.name).to_batches(columns=["path", "line", "text"], filter=of_paths):
        for path, line, text in zip(*batch.to_pydict().values(), strict=True):
            if (path, line) in wanted:
                hashes[path, line] = hash_of(text)
    return hashes


def _require_kept(lake: Lake, tables: StreamTables, paths: set[str]) -> None:
    rows = known_files(lake, tables.files)
    for path in sorted(paths):
        if (row := rows[path]).state == LINES_LOST:
            raise BadInput(
                f"no table has the lines of {path}; put the file back, or remove all of it: windrow forget {path}"
            )
        layout = tables.stream.layout(row.layout)
        if layout is not None and layout.line_by_line:
            raise BadInput(
                f"what a line of {path} means depends on the one before it, so that none can be erased alone; remove "
                f"all of the file: windrow forget {path}"
            )
