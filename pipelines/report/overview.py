"""The first page, and the lists of streams and of queries."""

from collections.abc import Callable
from typing import Any

from rich import filesize

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.stale import FindStale
from windrow.pipelines.report.page import Link, PageTable, Remark, ReportPage, Section
from windrow.pipelines.report.queries.page import is_published, sentence
from windrow.pipelines.report.reader import rows_of_days
from windrow.pipelines.report.streams.page import is_ingested
from windrow.pipelines.report.to_do import to_do
from windrow.pipelines.report.words import FIRST_FILE, days_in_words, query_file, stream_file
from windrow.schemas import registry
from windrow.schemas.errors import BrokenDefinition, WindrowError
from windrow.schemas.query import Query
from windrow.schemas.spelling import in_words
from windrow.schemas.stream import Stream

PAGE, STREAMS, QUERIES = FIRST_FILE, "streams.html", "queries.html"


def overview_pages(lake: Lake, find_stale: FindStale) -> list[ReportPage]:
    streams, queries = _streams(lake), _queries(lake)
    listed = {"Streams": streams, "Queries": queries, "The lake": _facts(lake)}
    first = [Section("To do", tuple(to_do(lake, find_stale)))]
    first += [Section(title, (table,)) for title, table in listed.items() if table.rows]
    lead = "What this lake holds, and what needs attention."
    of_streams = "How the events of each stream arrive: late, out of order, in bursts."
    of_queries = "What a streaming system would have known at each moment, and what turned out to be true."
    every_stream = Section("", (streams,)), *_broken(registry.broken_streams())
    every_query = Section("", (queries,)), *_broken(registry.broken_queries())
    return [
        ReportPage(PAGE, "Overview", "Overview", lead, tuple(first)),
        ReportPage(STREAMS, "Streams", "Streams", of_streams, every_stream),
        ReportPage(QUERIES, "Queries", "Queries", of_queries, every_query),
    ]


def _broken(found: dict[str, BrokenDefinition]) -> list[Section]:
    notes = tuple(Remark(str(each), "bad") for each in found.values())
    return [Section("Broken definitions", notes)] if notes else []


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
        asks = sentence(query), query.stream, windows_in_words(query), in_words(query.lateness)
        shown.append((Link(query.name, query_file(query.name)), *asks, rows, days))
    columns = ("query", "what", "stream", "windows", "lateness", "rows", "published")
    return PageTable("", columns, sorted(shown, key=lambda row: (row[2], row[5] is None, row[0].text)))


def windows_in_words(query: Query) -> str:
    """What they are, or of several their names."""
    return query.window.in_words if query.windows is None else ", ".join(query.windows)


def _rows_and_days(lake: Lake, table: str) -> tuple[int, str]:
    try:
        by_day = rows_of_days(lake, table)
    except WindrowError:
        return 0, "its tables can't be read"
    return sum(by_day.values()), days_in_words(by_day)


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
