"""The first page, and the lists of streams and of queries."""

from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

from pipelines.delta.lake import Lake
from pipelines.ledger.run_table import StepRow, rows
from pipelines.ledger.stale import stale
from pipelines.report import dag_text
from pipelines.report.file_names import FIRST_FILE, query_file, stream_file
from pipelines.report.page import Link, PageTable, Remark, ReportPage, Section
from pipelines.report.queries.page import is_published
from pipelines.report.streams.page import is_ingested
from pipelines.report.words import size
from schemas import registry
from schemas.durations import in_words
from schemas.errors import BrokenDefinition, WindrowError
from schemas.query import Query
from schemas.stream import Stream

PAGE, STREAMS, QUERIES = FIRST_FILE, "streams.html", "queries.html"


class Lists(NamedTuple):
    """The tables of the first pages."""

    streams: PageTable
    queries: PageTable


def overview_pages(lake: Lake) -> list[ReportPage]:
    """The first page, that of all streams and that of all queries."""
    lists = Lists(_streams(lake), _queries(lake))
    first = (
        Section("To do", tuple(_to_do(lake))),
        Section("Streams", (lists.streams,)),
        Section("Queries", (lists.queries,)),
        Section("The lake", (_facts(lake),)),
    )
    return [
        ReportPage(PAGE, "Overview", "Overview", "What this lake holds, and what needs somebody's attention.", first),
        ReportPage(
            STREAMS,
            "Streams",
            "Streams",
            "How the events of each stream arrive: late, out of order, in bursts.",
            (Section("", (lists.streams,)), *_broken(registry.broken_streams())),
        ),
        ReportPage(
            QUERIES,
            "Queries",
            "Queries",
            "What a streaming system would have known at each moment, and what turned out to be true.",
            (Section("", (lists.queries,)), *_broken(registry.broken_queries())),
        ),
    ]


def _broken(found: dict[str, BrokenDefinition]) -> list[Section]:
    notes = tuple(Remark(str(each), "bad") for each in found.values())
    return [Section("Broken definitions", notes)] if notes else []


def _to_do(lake: Lake) -> list[Remark]:
    broken = {**registry.broken_streams(), **registry.broken_queries()}
    notes = [Remark(str(each), "bad") for each in dict.fromkeys(map(str, broken.values()))]
    nothing = [stream.name for stream in registry.streams().values() if not _holds(is_ingested, lake, stream)]
    if len(nothing) == len(registry.streams()):
        return [
            *notes,
            Remark(
                "No stream was ingested yet. Put files into the landing folder, then run:",
                "bad",
                "windrow ingest STREAM",
            ),
        ]
    newest = {(row.query or row.stream, row.logical_date): row for row in rows(lake)}
    wrong = Counter(row.state for row in newest.values() if row.state in ("failed", "refused", "cut off"))
    if wrong:
        counted = ", ".join(f"{count:,} {state}" for state, count in wrong.items())
        notes.append(
            Remark(
                f"Steps that did not end well, and that no newer one replaced: {counted}. The page of runs has them.",
                "bad",
            )
        )
    notes += [Remark(f"{row.stream}: {row.message}", "bad") for row in _warned(lake)]
    if found := stale(lake):
        notes.append(
            Remark(f"{len(found):,} published days would come out differently now: the page of runs says why.", "bad")
        )
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
        events, days = _arrived(lake, stream) if _holds(is_ingested, lake, stream) else (None, "not ingested yet")
        queries = len(registry.queries_of(stream.name))
        shown.append((Link(stream.name, stream_file(stream.name)), stream.title, events, days, queries))
    return PageTable("", ("stream", "what", "events", "arrived", "queries"), shown)


def _arrived(lake: Lake, stream: Stream) -> tuple[int, str]:
    try:
        by_day = {day: rows for day, rows in lake.rows_by_day(f"silver_{stream.name}").items() if rows}
    except WindrowError:
        return 0, "its tables can't be read"
    return sum(by_day.values()), _days(list(by_day))


def _days(days: list[date]) -> str:
    if len(days) == 1:
        return f"1 day, {days[0]}"
    return f"{len(days):,} days, {min(days)} to {max(days)}" if days else "no days"


def _queries(lake: Lake) -> PageTable:
    shown = []
    for query in registry.queries().values():
        count, days = _published(lake, query) if _holds(is_published, lake, query) else (None, "not published yet")
        shown.append(
            (
                Link(query.name, query_file(query.name)),
                query.stream,
                query.window.kind,
                in_words(query.lateness),
                count,
                days,
                dag_text.asked(query),
            )
        )
    columns = ("query", "stream", "window", "lateness", "rows", "published", "asks")
    return PageTable("", columns, sorted(shown, key=lambda row: (row[1], row[4] is None, row[0].text)))


def _published(lake: Lake, query: Query) -> tuple[int, str]:
    by_day = {day: rows for day, rows in lake.rows_by_day(query.name).items() if rows}
    return sum(by_day.values()), _days(list(by_day))


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
        ("tables", f"{len(names):,}, of {size(bytes_)}"),
        *([("can't be opened", f"{damaged:,}")] if damaged else []),
    ]
    return PageTable("", ("what", "of this lake"), facts)
