"""The first page, and the lists of streams and of queries."""

from collections.abc import Callable
from typing import Any

from rich import filesize

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.run_table import StepRow, rows
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.report import dag_text
from windrow.pipelines.report.page import Link, PageTable, Remark, ReportPage, Section
from windrow.pipelines.report.queries.page import is_published
from windrow.pipelines.report.reader import rows_of_days
from windrow.pipelines.report.runs_and_gate import counted, not_ended_well
from windrow.pipelines.report.streams.page import is_ingested
from windrow.pipelines.report.words import FIRST_FILE, query_file, stream_file
from windrow.schemas import registry
from windrow.schemas.errors import BrokenDefinition, WindrowError
from windrow.schemas.query import Query
from windrow.schemas.spelling import in_words
from windrow.schemas.stream import Stream

PAGE, STREAMS, QUERIES = FIRST_FILE, "streams.html", "queries.html"


def overview_pages(lake: Lake) -> list[ReportPage]:
    streams, queries = _streams(lake), _queries(lake)
    first = (
        Section("To do", tuple(_to_do(lake))),
        Section("Streams", (streams,)),
        Section("Queries", (queries,)),
        Section("The lake", (_facts(lake),)),
    )
    lead = "What this lake holds, and what needs attention."
    of_streams = "How the events of each stream arrive: late, out of order, in bursts."
    of_queries = "What a streaming system would have known at each moment, and what turned out to be true."
    every_stream = Section("", (streams,)), *_broken(registry.broken_streams())
    every_query = Section("", (queries,)), *_broken(registry.broken_queries())
    return [
        ReportPage(PAGE, "Overview", "Overview", lead, first),
        ReportPage(STREAMS, "Streams", "Streams", of_streams, every_stream),
        ReportPage(QUERIES, "Queries", "Queries", of_queries, every_query),
    ]


def _broken(found: dict[str, BrokenDefinition]) -> list[Section]:
    notes = tuple(Remark(str(each), "bad") for each in found.values())
    return [Section("Broken definitions", notes)] if notes else []


def _to_do(lake: Lake) -> list[Remark]:
    broken = {**registry.broken_streams(), **registry.broken_queries()}
    notes = [Remark(str(each), "bad") for each in dict.fromkeys(map(str, broken.values()))]
    nothing = [stream.name for stream in registry.streams().values() if not _holds(is_ingested, lake, stream)]
    if len(nothing) == len(registry.streams()):
        missing = "No stream was ingested yet. Put files into the landing folder, then run:"
        return [*notes, Remark(missing, "bad", "windrow ingest STREAM")]
    if wrong := not_ended_well(rows(lake)):
        text = (
            f"Steps that did not end well, and that no newer one replaced: {counted(wrong)}. The page of runs has them."
        )
        notes.append(Remark(text, "bad"))
    notes += [Remark(f"{row.stream}: {row.message}", "bad") for row in _warned(lake)]
    if found := stale(lake):
        text = f"{len(found):,} published days would come out differently now: the page of runs says why."
        notes.append(Remark(text, "bad"))
    return notes or [Remark("Nothing: every step ended well, every definition loads, and no run is stale.", "good")]


def _warned(lake: Lake) -> list[StepRow]:
    """The newest ingest of each stream that ended well and left a warning."""
    newest = {row.stream: row for row in rows(lake, [("step", "=", "ingest")])}
    return [row for _, row in sorted(newest.items()) if row.state == "done" and row.message]


def _holds(asked: Callable[[Lake, Any], bool], lake: Lake, of: Stream | Query) -> bool:
    """False too of what can't be opened: its own page says why."""
    try:
        return asked(lake, of)
    except WindrowError:
        return False


def _streams(lake: Lake) -> PageTable:
    shown = []
    for stream in registry.streams().values():
        ingested = _holds(is_ingested, lake, stream)
        events, days = _rows_and_days(lake, f"silver_{stream.name}") if ingested else (None, "not ingested yet")
        queries = len(registry.queries_of(stream.name))
        shown.append((Link(stream.name, stream_file(stream.name)), stream.title, events, days, queries))
    return PageTable("", ("stream", "what", "events", "arrived", "queries"), shown)


def _queries(lake: Lake) -> PageTable:
    shown = []
    for query in registry.queries().values():
        published = _holds(is_published, lake, query)
        rows, days = _rows_and_days(lake, query.name) if published else (None, "not published yet")
        asks = query.stream, query.window.kind, in_words(query.lateness)
        shown.append((Link(query.name, query_file(query.name)), *asks, rows, days, dag_text.asked(query)))
    columns = ("query", "stream", "window", "lateness", "rows", "published", "asks")
    return PageTable("", columns, sorted(shown, key=lambda row: (row[1], row[4] is None, row[0].text)))


def _rows_and_days(lake: Lake, table: str) -> tuple[int, str]:
    try:
        by_day = rows_of_days(lake, table)
    except WindrowError:
        return 0, "its tables can't be read"
    first, last = min(by_day, default=None), max(by_day, default=None)
    days = (
        f"1 day, {first}" if len(by_day) == 1 else f"{len(by_day):,} days, {first} to {last}" if by_day else "no days"
    )
    return sum(by_day.values()), days


def _facts(lake: Lake) -> PageTable:
    names = lake.names()
    bytes_, damaged = 0, 0
    for name in names:
        try:
            bytes_ += sum(lake.add_actions(name).column("size_bytes").to_pylist())
        except WindrowError:
            damaged += 1
    facts = [
        ("home", str(lake.config.home)),
        ("landing folder", str(lake.config.landing)),
        ("tables", f"{len(names):,}, of {filesize.decimal(bytes_)}"),
        *([("can't be opened", f"{damaged:,}")] if damaged else []),
    ]
    return PageTable("", ("what", "of this lake"), facts)
