"""The page of one query."""

from windrow.kernels.runtime.found import first_paragraph
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import promises
from windrow.pipelines.report import dag_text
from windrow.pipelines.report.page import Link, PageTable, Remark, ReportPage, Section
from windrow.pipelines.report.queries import figures
from windrow.pipelines.report.queries.known_at import known_at
from windrow.pipelines.report.queries.results import MOST_ROWS, KeptResults, keep_results
from windrow.pipelines.report.queries.why import why
from windrow.pipelines.report.reader import Reader, reading
from windrow.pipelines.report.words import length, query_file, stream_file
from windrow.schemas import registry
from windrow.schemas.model import Model
from windrow.schemas.query import Query
from windrow.schemas.registry import module_of
from windrow.schemas.spelling import in_words
from windrow.schemas.stream import Stream

_LATE_SHOWN, _JUDGED_SHOWN = 12, 60


def query_page(lake: Lake, query: Query) -> ReportPage:
    stream = registry.stream(query.stream)
    sections = [*_sections(lake, query, stream), _about(query)]
    return ReportPage(query_file(query.name), query.name, "Queries", sentence(query), tuple(sections))


def sentence(query: Query) -> str:
    """What its file says of it first; of one that says nothing, what it asks."""
    return first_paragraph(module_of(query.name)) or dag_text.asked(query)


def is_published(lake: Lake, query: Query) -> bool:
    return lake.version(query.name) is not None and lake.row_count(query.name) > 0


def _sections(lake: Lake, query: Query, stream: Stream) -> list[Section]:
    if not is_published(lake, query):
        missing = Remark(
            "No day of this query was published yet. Once its stream is ingested, replay one:",
            command=f"windrow replay {query.name} --day YYYY-MM-DD",
        )
        return [Section("", (missing,))]
    late = f"{query.name}_late"
    tables = [query.name, *([late] if lake.version(late) is not None else [])]
    with reading(lake, *tables) as reader:
        results = keep_results(reader, query, stream)
        of_late = [_late(reader, query)] if late in tables else []
        return [*_of_results(reader, results, stream.zone), why(reader, query), *of_late, *_promised(lake, query)]


def _of_results(reader: Reader, results: KeptResults, zone: str) -> list[Section]:
    newest = f"The figures show the days from {results.first_day} on. The limit is {MOST_ROWS:,} rows."
    left_out = [] if results.first_day is None else [Remark(newest)]
    models = [figures.statuses(reader, results)] if isinstance(results.query, Model) else []
    nothing = Remark("No row is `on_time`, so there is nothing to compare with the newest rows.")
    compared = figures.on_time_against_final(reader, results) or nothing
    return [
        Section("Results", (*left_out, _facts(reader, results), figures.over_time(reader, results), *models)),
        Section("What was known when", (known_at(reader, results, zone), figures.revisions(reader, results))),
        Section("On time against final", (figures.completeness(reader, results), compared)),
    ]


def _facts(reader: Reader, results: KeptResults) -> PageTable:
    [(*counts, days, first, last)] = reader.tuples("""
        SELECT count(*) FILTER (is_final), count(DISTINCT key), count(*), count(*) FILTER (revision > 0), max(revision),
            sum(late_events) FILTER (is_final)::BIGINT, count(DISTINCT emitted_at::DATE), min(emitted_at)::DATE,
            max(emitted_at)::DATE FROM results""")
    keys = "keys of windows" if results.query.windows else "keys"
    columns = ("windows", keys, "rows", "of them revisions", "newest revision", "late events counted", "days")
    return PageTable("", columns, [(*counts, f"{days:,}, from {first} to {last}")])


def _late(reader: Reader, query: Query) -> Section:
    late, named = f"{query.name}_late", query.name_column
    figure = figures.late_events(reader, late)
    if figure is None:
        return Section("Late events", (Remark("No event was too late for any of its windows.", "good"),))
    rows = reader.tuples(f"""
        SELECT {"".join(f"{each}, " for each in named)}reason, strftime(start, '%Y-%m-%d %H:%M:%S'),
            strftime(arrival, '%Y-%m-%d %H:%M:%S'), late_by / 1e6, windows_missed, path || ':' || line
        FROM {late} ORDER BY late_by DESC NULLS LAST, path, line, reading LIMIT {_LATE_SHOWN}""")
    shown = [(*event, length(late_s), missed, place) for *event, late_s, missed, place in rows]
    columns = (
        *("window" for _ in named),
        "reason",
        "event time",
        "arrival",
        "late by",
        "windows missed",
        "file and line",
    )
    return Section("Late events", (figure, PageTable("The latest", columns, shown, f"All are in the table {late}.")))


def _promised(lake: Lake, query: Query) -> list[Section]:
    """The last word on each promise of the newest days."""
    if not query.promises:
        return []
    rows = promises.newest(lake, query)[:_JUDGED_SHOWN]
    if not rows:
        return [Section("Promises", (Remark("No run has checked the promises of this query yet."),))]
    good = Remark("Every promise was kept on these days.", "good")
    broken = [row for row in rows if row["verdict"] != promises.KEPT]
    shown = [(str(row["day"]), *(row[name] for name in ("promise", "measured", "allowed", "verdict"))) for row in rows]
    columns = ("day", "promise", "measured", "promised", "verdict")
    caption = f"The newest {_JUDGED_SHOWN}, as the newest run found them. All are in the table promises."
    return [Section("Promises", (*([] if broken else [good]), PageTable("", columns, shown, caption)))]


def _about(query: Query) -> Section:
    where = query.where if isinstance(query.where, str) else ", ".join(str(each) for _, each in query.conditions)
    facts = [
        ("stream", Link(query.stream, stream_file(query.stream))),
        ("key", ", ".join(query.key) or "none: one group"),
        *(("windows", window.in_words) for window in query.every_window),
        *dag_text.windows_of(query),
        ("lateness", in_words(query.lateness)),
        ("allowed lateness", in_words(query.allowed_lateness)),
        ("emit", query.emit),
        ("where", where or "all events"),
        *(("function", dag_text.call(query.function)) for _ in [query] if isinstance(query, Model)),
        *((name, str(each)) for name, each in query.aggregates.items()),
        *((f"promise: {each.name}", f"{each.allowed}, or else {each.or_else}") for each in query.promises),
    ]
    return Section("What it asks", (PageTable("", ("what", "of this query"), facts),))
