"""The steps of an erasure. Each can be done again, so that one that was killed is finished by the same command.

erased_ ─▶ bronze_ ─▶ ingest of these files ─▶ stale days again ─▶ old versions and audit rows go ─▶ search ─▶ receipt
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import partial
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.file_commits import replace_paths
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.engines.engine import rewritten
from windrow.pipelines.erasure.lines import lines_of, places
from windrow.pipelines.erasure.person import Person, person_of
from windrow.pipelines.erasure.search import Trace, search
from windrow.pipelines.ingest import landing
from windrow.pipelines.ingest.changes import Asked
from windrow.pipelines.ingest.erased import erased_lines, hash_of, hashes_of
from windrow.pipelines.ingest.files import FileRow, known_files
from windrow.pipelines.ingest.lines import lines, records
from windrow.pipelines.ingest.packings import UnpackedFile, Unreadable
from windrow.pipelines.ingest.writes import write_share
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.code_hash import definition_hash
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.runs.backfill import redo_stale
from windrow.pipelines.runs.ingest_day import ingest_as_step
from windrow.pipelines.runs.reports import DayReport
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.pipelines.upkeep.maintain import shorten_to_newest
from windrow.pipelines.upkeep.verify import Fingerprint, fingerprints
from windrow.schemas import registry
from windrow.schemas.erased import erased_table
from windrow.schemas.errors import StorageFailed
from windrow.schemas.side_tables import panes_name
from windrow.schemas.tables import Table

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Receipt:
    """What an erasure did, and what proves it. lines, events: that this run erased; condition: its hash; days: by
    query, how many were made again; others: by table, how many rows of others there are, and whether they are the ones
    of before; searched: files and their bytes; found: where a value still is; landing: files of the landing folder that
    still have lines which were ever erased, and how many."""

    run_id: str
    stream: str
    condition: str
    lines: int
    events: int
    files: int
    days: dict[str, int]
    others: dict[str, tuple[int, bool]]
    searched: tuple[int, int]
    found: list[Trace]
    landing: dict[str, int]

    @property
    def facts(self) -> dict:
        """For people."""
        same = sum(same for _, same in self.others.values())
        files, file_bytes = self.searched
        return {
            "stream": self.stream,
            "erased": f"{self.events:,} event(s), {self.lines:,} line(s) of {self.files:,} file(s)",
            "days_made_again": ", ".join(f"{query} {days:,}" for query, days in self.days.items()) or "none",
            "rows_of_others": f"the same as before in {same} of {len(self.others)} table(s)",
            "searched": f"{files:,} file(s), {file_bytes:,} bytes: {len(self.found)} hold(s) a value",
            "run_id": self.run_id,
        }

    def require(self) -> None:
        """StorageFailed where a file of the lake still has a value, or rows of others are not what they were."""
        if self.found:
            named = "; ".join(f"{each.file}{f' ({each.column})' if each.column else ''}" for each in self.found[:5])
            more = f"; and {len(self.found) - 5:,} more" if len(self.found) > 5 else ""
            left = f"{len(self.found):,} file(s) below the home still hold a value: {named}{more}"
            raise StorageFailed(f"{left}. Take them away, or the value out of them, and run the command again")
        if changed := [name for name, (_, same) in self.others.items() if not same]:
            raise StorageFailed(f"rows of others changed in {', '.join(changed)}; windrow runs shows what else ran")


def erase(config: Config, where: str, stream_name: str | None, run_id: str | None, progress: Progress) -> Receipt:
    """Erase the events of a person, and every trace of the values. What person_of, lines_of, an ingest and a backfill
    raise. O(bytes of the lake)."""
    person = person_of(where, stream_name)
    tables = StreamTables.of(person.stream)
    run = Run(run_id or run_table.new_run_id(person.stream.name, None), person.stream.name)
    lake = Lake(config).committing(run_id=run.run_id, definition=definition_hash(run.stream, None))
    before = _others(lake, tables, person)
    progress("lines of the person")
    found = lines_of(lake, tables, person, run.run_id)
    _erase_lines(lake, tables, found.rows)
    _ingest_again(lake, run, tables, found.paths, person, progress)
    progress("old versions of the stream's tables")
    _shorten(lake, tables.all)
    _ingest_again(lake, run, tables, (), person, progress)  # runs read what the newest ingest has left
    done = _make_days_again(lake, tables, progress)
    progress("search of every file")
    searched = search(config, person)
    receipt = Receipt(
        run.run_id,
        run.stream,
        person.hash,
        lines=len({*places(found.rows)}),
        events=found.events,
        files=len(found.paths),
        days=dict(Counter(report.query for report in done)),
        others=_compared(before, _others(lake, tables, person)),
        searched=(searched.files, searched.file_bytes),
        found=searched.found,
        landing=_still_landed(lake, tables),
    )
    with run_table.step(lake, run, "erase") as entry:
        entry.inputs, entry.outputs = {"erased": person.hash}, {"receipt": asdict(receipt)}
    return receipt


def _erase_lines(lake: Lake, tables: StreamTables, rows: pa.Table) -> None:
    """Note them, then take their texts out of bronze; no ingest comes in between."""
    table = erased_table(tables.stream)
    with lake.ingest_locked(tables.stream.name):
        if len(rows):
            lake.ensure(table)
            lake.append(table, rows)
        erased, known = erased_lines(lake, tables.stream), known_files(lake, tables.files)
        hashes, paths = hashes_of(erased), sorted({*erased["path"].to_pylist()})
        held = [path for path in _with_texts(lake, tables, paths, hashes) if path in known]
        if held:
            in_bronze = dict.fromkeys(held, lake.existing_version(tables.bronze.name))
            added = write_share(lake, tables, in_bronze, hashes, [known[path] for path in held])
            others = partial(rewritten, lake, engine_of(lake.config), tables.bronze, held)
            replace_paths(lake, tables.bronze, held, added, others)


def _with_texts(lake: Lake, tables: StreamTables, paths: Sequence[str], hashes: Collection[str]) -> list[str]:
    """Those of the files of which bronze has the text of an erased line."""
    found: set[str] = set()
    of_paths = pc.field("path").isin(pa.array(paths, pa.string()))
    for batch in lake.dataset(tables.bronze.name).to_batches(columns=["path", "text"], filter=of_paths):
        pairs = zip(batch["path"].to_pylist(), batch["text"].to_pylist(), strict=True)
        found.update(path for path, text in pairs if hash_of(text) in hashes)
    return sorted(found)


def _ingest_again(
    lake: Lake, run: Run, tables: StreamTables, paths: Collection[str], person: Person, progress: Progress
) -> None:
    with run_table.step(lake, run, "forget") as entry:
        entry.inputs = {"erased": person.hash}
        following = entry.stages.following(progress)
        ingest_as_step(lake, run, tables, entry, Asked(again=frozenset(paths)), following)


def _make_days_again(lake: Lake, tables: StreamTables, progress: Progress) -> list[DayReport]:
    """Those that are stale, and leave of the queries' tables the newest versions alone."""
    queries = registry.queries_of(tables.stream.name)
    _drop_panes(lake, [query.name for query in queries])
    done = redo_stale(lake.config, [query.name for query in queries], progress).require()
    progress("old versions of the queries' tables")
    of_queries = [QueryTables.of(query) for query in queries]
    for each in of_queries:
        _drop_audit_rows(lake, each)
    _shorten(lake, chain.from_iterable(each.all for each in of_queries))
    return done


def _drop_panes(lake: Lake, queries: Collection[str]) -> None:
    """Runs make them again."""
    for name in map(panes_name, queries):
        with lake.locked(name):
            storage.remove_folder(lake.folder(name))


def _drop_audit_rows(lake: Lake, tables: QueryTables) -> None:
    for table in (tables.audit, tables.late_audit):
        if days := sorted(lake.partition_dates(table.name)):
            lake.replace(table, {table.partition_by[0]: days}, [])


def _shorten(lake: Lake, tables: Iterable[Table]) -> None:
    for table in tables:
        if lake.version(table.name) is not None:
            shorten_to_newest(lake, table.name)


def _others(lake: Lake, tables: StreamTables, person: Person) -> dict[str, Mapping[date, Fingerprint]]:
    """By table, what the rows come to that aren't the person's: of silver, and of queries whose key has all columns of
    the condition, so that a row is of one person."""
    asked = [tables.silver]
    for query in registry.queries_of(tables.stream.name):
        if {*person.values} <= {*query.key}:
            of_query = QueryTables.of(query)
            asked += [of_query.results, of_query.late]
    return {table.name: fingerprints(lake, table, f"({person.condition}) IS NOT TRUE") for table in asked}


def _compared(
    before: Mapping[str, Mapping[date, Fingerprint]], after: Mapping[str, Mapping[date, Fingerprint]]
) -> dict[str, tuple[int, bool]]:
    return {name: (sum(each.rows for each in now.values()), before[name] == now) for name, now in after.items()}


def _still_landed(lake: Lake, tables: StreamTables) -> dict[str, int]:
    """O(bytes of the landed files that hold, or are copies of some that held, erased lines)."""
    erased, known = erased_lines(lake, tables.stream), known_files(lake, tables.files)
    hashes, paths = hashes_of(erased), {*erased["path"].to_pylist()}
    contents = {known[path].content_hash for path in paths if path in known}
    listed = landing.listing(lake.config.landing, tables.stream).paths
    asked = [path for path in listed if path in paths or (path in known and known[path].content_hash in contents)]
    counts = {path: _count(lake, tables, path, known.get(path), hashes) for path in asked}
    return {path: count for path, count in counts.items() if count}


def _count(lake: Lake, tables: StreamTables, path: str, row: FileRow | None, hashes: Collection[str]) -> int:
    layout = tables.stream.layout(row.layout) if row else None
    try:
        parts = records(lines(UnpackedFile(lake.config.landing / path)), layout)
        return sum(hash_of(text) in hashes for part in parts for text in part.texts)
    except (OSError, Unreadable):
        return 0
