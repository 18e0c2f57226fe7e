"""Bronze, silver and quarantine: a commit replaces exactly what it touches.

Bronze has the lines of landed files as received, and is replaced by whole files, as quarantine is; silver by whole
arrival days. A task streams whole landed files into Parquet, a piece at a time. At the end of each the bytes that were
read must be those that landed: a file that changed in between fails the whole write, so that no line of it is
published.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain
from operator import attrgetter

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines.delta.day_files import files_of
from windrow.pipelines.delta.file_commits import append_files, replace_partitions, replace_paths
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile, write_batches
from windrow.pipelines.engines.engine import Engine, rewritten
from windrow.pipelines.ingest.changes import Changes
from windrow.pipelines.ingest.deduplicate import DUPLICATE, EVENT, NEW, PLACE, Deduplicated
from windrow.pipelines.ingest.erased import erased_lines, hashes_of, without_erased
from windrow.pipelines.ingest.files import ACCEPTED, LINES_LOST, UNFINISHED, UNREADABLE, FileRow
from windrow.pipelines.ingest.lines import lines, records
from windrow.pipelines.ingest.packings import UnpackedFile, Unreadable
from windrow.pipelines.ingest.parse import LINE_COLUMNS
from windrow.pipelines.location import Location
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.errors import LandingFailed
from windrow.schemas.layouts import Chooser
from windrow.schemas.stream import KEPT_REFUSALS, Stream

# Each worker of an engine keeps the first of each file, of which these are the first.
_REFUSED = """
    SELECT {}, CASE WHEN text IS NULL THEN NULL ELSE
        row_number() OVER (PARTITION BY path, text IS NULL ORDER BY line, reading) END AS place
    FROM parsed WHERE reason IS NOT NULL"""
_KEPT = f"SELECT * FROM refused WHERE place <= {KEPT_REFUSALS}"
_REST = f"""
    SELECT path, CAST(NULL AS BIGINT) AS line, 0 AS reading, reason,
           concat('from line ', CAST(min(line) AS STRING), ' on; bronze has the lines') AS detail,
           CAST(NULL AS TIMESTAMP) AS arrival, CAST(NULL AS STRING) AS identity, CAST(NULL AS STRING) AS text,
           CAST(sum(records) AS BIGINT) AS records, definition
    FROM refused WHERE place IS NULL OR place > {KEPT_REFUSALS} GROUP BY path, reason, definition"""


def write_bronze(lake: Lake, engine: Engine, tables: StreamTables, changes: Changes) -> None:
    """Replace what bronze holds of files that landed, came back, or deliver no more, in one commit. LandingFailed when
    one is not what landed any more."""
    bronze, delivering = tables.bronze, [changes.rows[path] for path in changes.delivering]
    wanted = [row for row in delivering if changes.brings_lines(row.path)]
    replaced = _held_before(changes)
    if not replaced and not wanted:
        return
    sizes = {row: row.unpacked_bytes for row in sorted(wanted, key=attrgetter("landed_date"))}
    hashes = hashes_of(erased_lines(lake, tables.stream))
    added = engine.share_out(partial(write_share, lake, tables, changes.restored, hashes), sizes)
    if replaced:
        paths = sorted({*replaced, *(row.path for row in wanted)})
        replace_paths(lake, bronze, paths, added, partial(rewritten, lake, engine, bronze, paths))
    else:  # of new files bronze holds nothing: what it holds needn't be looked at
        append_files(lake, bronze, added)


def _held_before(changes: Changes) -> list[str]:
    """Known paths whose lines bronze may hold, and is to hold no longer, or others."""
    return [
        path
        for path, row in changes.rows.items()
        if path in changes.known
        and (changes.brings_lines(path) or row.state != ACCEPTED)
        and (changes.known[path].state in (ACCEPTED, UNFINISHED, LINES_LOST) or changes.known[path].is_intent)
    ]


def write_share(
    lake: Lake, tables: StreamTables, restored: dict[str, int], hashes: frozenset[str], rows: Sequence[FileRow]
) -> list[NewFile]:
    """Write the lines of some files, into a Parquet file for each day on which they landed. restored: versions of
    bronze that have them, by path; the others are read where they landed. hashes: of lines that are erased."""
    found = []
    for day in sorted({row.landed_date for row in rows}):
        of_day = (_lines(lake, tables, restored.get(row.path), row) for row in rows if row.landed_date == day)
        lines = (without_erased(batch, hashes) for batch in chain.from_iterable(of_day))
        found.append(write_batches(lake, tables.bronze, {"landed_date": day}, lines))
    return [each for each in found if each is not None]


def _lines(lake: Lake, tables: StreamTables, version: int | None, row: FileRow) -> Iterator[pa.RecordBatch]:
    if version is None:
        return read_file(lake.config.landing, tables.stream, row)
    return iter(lake.dataset(tables.bronze.name, version).to_batches(filter=pc.field("path") == row.path))


def read_file(root: Location, stream: Stream, row: FileRow) -> Iterator[pa.RecordBatch]:
    """A landed file's lines, a piece at a time; LandingFailed at the end if its bytes are not those that landed."""
    content, first = UnpackedFile(root / row.path), 1
    try:
        for texts, damage in records(lines(content), stream.layout(row.layout)):
            count = len(texts)
            *numbers, first = accumulate((1 + text.count("\n") for text in texts), initial=first)
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array([row.path], pa.string()).take(pa.array([0] * count)),
                    pa.array(numbers, pa.int64()),
                    pa.array(texts, pa.string()),
                    pa.nulls(count, pa.string()) if damage is None else pa.array(damage, pa.string()),
                ],
                names=LINE_COLUMNS,
            )
    except (OSError, Unreadable) as error:
        raise LandingFailed(f"{row.path} changed since it landed ({error})") from error
    if content.sha256.hexdigest() != row.content_hash:
        raise LandingFailed(f"{row.path} changed since it landed")


def choosers(lake: Lake, tables: StreamTables, paths: Collection[str]) -> dict[str, Chooser]:
    """What chooses the layouts of files, by their lines in bronze. O(lines of these files) where these name their
    fields, else O(files)."""
    found = {path: Chooser(tables.stream, path) for path in paths}
    if not found:
        return found
    columns, of_paths = ["path", "text", "damage"], ("path", "in", sorted(paths))
    for row in lake.read(tables.bronze.name, filters=[("line", "=", 1), of_paths], columns=columns).to_pylist():
        found[row["path"]].take([None if row["damage"] else row["text"]])
    undecided = [path for path, chooser in found.items() if not chooser.decided]
    if undecided:
        rows = lake.dataset(tables.bronze.name).to_batches(columns=columns, filter=pc.field("path").isin(undecided))
        for path, text, damage in (row for batch in rows for row in zip(*batch.to_pydict().values(), strict=True)):
            found[path].take([None if damage else text])
    return found


def write_silver(lake: Lake, tables: StreamTables, found: Deduplicated) -> None:
    """Replace the touched arrival days: events that stay, and records that became events."""
    silver, rows = tables.silver, [f"SELECT * FROM parsed ANTI JOIN {_moved(NEW)} WHERE reason IS NULL"]
    found.relations.add_files("standing", lake, silver, files_of(lake, silver, found.days))
    rows.append(f"SELECT * FROM standing ANTI JOIN {_moved(EVENT)} WHERE path NOT IN (SELECT path FROM changed)")
    if found.moved(DUPLICATE):
        found.parse_again(lake, tables.bronze)
        rows.append(f"SELECT * FROM again SEMI JOIN {_moved(DUPLICATE)}")
    replace_partitions(lake, silver, "arrival_date", found.days, found.relations.write(lake, silver, rows))


def write_quarantine(lake: Lake, engine: Engine, tables: StreamTables, changes: Changes, found: Deduplicated) -> None:
    """Replace the touched files' refused records: of changed files, and duplicates that came or went elsewhere."""
    table, others, relations = tables.quarantine, found.others_touched, found.relations
    definition = found.rules.definition
    common = {"reading": 0, "reason": "unreadable file", "records": 1, "definition": definition}
    unreadable = [row for row in changes.rows.values() if row.state == UNREADABLE]
    whole_files = [common | {"path": row.path, "detail": row.detail} for row in unreadable]
    relations.add_rows("whole_files", pa.Table.from_pylist(whole_files, lake.schema(table)))
    relations.define("refused", _REFUSED.format(", ".join(table.column_names)))  # none of the stream's columns
    rows = [_KEPT, _REST, "SELECT * FROM whole_files"]
    if new_duplicates := found.moved(NEW, EVENT):
        relations.add_files("texts", lake, tables.bronze, files_of(lake, tables.bronze, paths=new_duplicates))
        rows.append(f"""
            SELECT path, line, reading, identity, arrival, text, 'duplicate' AS reason,
                   CAST(NULL AS STRING) AS detail, 1 AS records, '{definition}' AS definition
            FROM moved LEFT JOIN (SELECT path, line, text FROM texts) AS those USING (path, line)
            WHERE was <> '{DUPLICATE}'""")
    if others:
        relations.add_rows("others", pa.table({"path": others}))
        rows.append(f"SELECT * FROM quarantine ANTI JOIN {_moved(DUPLICATE)} WHERE path IN (SELECT path FROM others)")
    paths = [*changes.rows, *others]
    written = relations.write(lake, table, rows)
    replace_paths(lake, table, paths, written, partial(rewritten, lake, engine, table, paths))


def _moved(was: str) -> str:
    return f"(SELECT {PLACE} FROM moved WHERE was = '{was}') AS those USING ({PLACE})"
