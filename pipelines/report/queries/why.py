"""Why the rows of the most revised windows say what they say: each revision's events, and who published it. A click on
a dot of the figure of revisions leads here."""

from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount import sql
from windrow.pipelines.report.page import Anchor, PageTable, Remark, Section
from windrow.pipelines.report.queries.figures import WINDOW
from windrow.pipelines.report.queries.results import key_label
from windrow.pipelines.report.reader import Reader
from windrow.pipelines.report.words import length
from windrow.pipelines.why.asked import AskedWindow
from windrow.pipelines.why.explain import EventChange, ExplainedRevision, ExplainedWindow, Explanation, explain
from windrow.pipelines.why.listing import run_rows
from windrow.pipelines.why.published import PublishingRun, in_text, publishing_runs
from windrow.schemas.errors import WindrowError
from windrow.schemas.query import WINDOW_NAME, Query
from windrow.schemas.registry import personal_columns

_EVENTS, _REVISIONS = 10, 20
MASKED = "…"  # a personal value


def why(reader: Reader, query: Query) -> Section:
    """Of the windows of the table `most` (figures.py), a table each."""
    try:
        runs = publishing_runs(reader.lake, query.name, _days(reader), reader.lake.existing_version(query.name))
        tables = [
            _table(query, place, label, *_explained(reader.lake, query, row, runs))
            for place, label, row in _asked(reader, query)
        ]
    except WindrowError as error:  # silver is damaged, say: what the results say stands
        return Section("Why", (Remark(f"The events behind the revisions can't be shown: {error}", "bad"),))
    shown = f"It shows at most {_EVENTS} events of each of a window's newest {_REVISIONS} revisions."
    lead = Remark(f"What came (+) and left (−) with each revision of the windows that were revised most. {shown}")
    return Section("Why", (lead, *tables))


def _asked(reader: Reader, query: Query) -> Iterator[tuple[int, str, dict]]:
    """Place and name of each window, and its row of what tells windows apart."""
    number = "0 AS window_number" if query.context_free else "window_number"
    named = "".join(f"{sql.name(each)}, " for each in (*query.key, *query.name_column))
    rows = reader.rows(f"""
        WITH every AS (
            SELECT DISTINCT {named}{key_label(query)} AS why_key, window_start, window_end, {number}
            FROM {query.name})
        SELECT every.*, most.place AS why_place FROM every JOIN most ON every.why_key = most.key
            AND every.window_start = most.window_start AND every.window_end = most.window_end
            AND every.window_number = most.window_number ORDER BY why_place""")
    for row in rows:
        yield row["why_place"], row["why_key"], row


def _days(reader: Reader) -> list[date]:
    """On which rows of these windows were emitted."""
    return [
        day for (day,) in reader.tuples(f"SELECT DISTINCT emitted_at::DATE FROM results JOIN most USING ({WINDOW})")
    ]


def _explained(
    lake: Lake, query: Query, row: dict, runs: Mapping[date, PublishingRun]
) -> tuple[Explanation, ExplainedWindow]:
    key = {name: row[name] for name in query.key}
    asked = AskedWindow(query, key, row["window_start"], row["window_end"], row.get(WINDOW_NAME))
    found = explain(lake, asked, runs=runs)
    return found, next(each for each in found.windows if each.place[2] == row["window_number"])


def _table(query: Query, place: int, label: str, found: Explanation, window: ExplainedWindow) -> PageTable:
    columns = ("revision", "known from", "change", "file and line", "event time", "arrival", "late by", *found.columns)
    newest = window.revisions[-_REVISIONS:]
    shown = [(each, _EVENTS if each in newest else 0) for each in window.revisions]
    personal = personal_columns(query.stream)
    rows = [row for each, most in shown for row in _rows(place, each, (found.columns, personal), most)]
    title = f"{label}, {in_text(window.place[0])} to {in_text(window.place[1])}"
    return PageTable(title, columns, rows, _caption(query, found), "folded")


def _rows(
    place: int, revision: ExplainedRevision, read: tuple[list[str], Collection[str]], most: int
) -> Iterator[tuple]:
    """read: the columns of events that are shown, and the personal ones, whose values are not."""
    columns, personal = read
    row, blank = revision.row, ("",) * len(columns)
    name = Anchor(f"{row['revision']}, {row['pane']}", f"why-{place}-{row['revision']}", "")
    says = f"{row['events']:,} events: " + ("; ".join(revision.wrong) or "adds up")
    yield (name, _at(row["emitted_at"]), says, "", "", "", "", *blank)
    for change in revision.changes[:most]:
        yield ("", "", change.sign, *_event(change, columns, personal))
    if (more := len(revision.changes) - most) > 0:
        yield ("", "", f"{more:,} more events", "", "", "", "", *blank)


def _event(change: EventChange, columns: list[str], personal: Collection[str]) -> tuple:
    event = change.event.row
    late_s = None if change.late_by is None else change.late_by.total_seconds()
    known = (MASKED if name in personal else event[name] for name in columns)
    values = (str(value) if isinstance(value, datetime | bool) else value for value in known)
    late = length(late_s) if late_s is not None and late_s >= 0 else "on time"
    return (f"{event['path']}:{event['line']}", _at(event["start"]), _at(event["arrival"]), late, *values)


def _at(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S}"


def _caption(query: Query, found: Explanation) -> str:
    runs = "; ".join(
        f"{row['day']} by run {row['run']}, definition {row['definition']}, code {row['code']}, {row['checks']}"
        for row in run_rows(found)
    )
    remarks = "".join(f" {each}." for each in found.remarks)
    published = f"Published: {runs or 'by no run that the ledger knows'}."
    return f"{published}{remarks} All of it: `{_command(query, found)}`"


def _command(query: Query, found: Explanation) -> str:
    asked = found.asked
    personal = personal_columns(query.stream)
    known = {name: MASKED if name in personal and value is not None else value for name, value in asked.key.items()}
    keys = [name if value is None else f"{name}={_typed(value)}" for name, value in known.items()]
    name = "" if asked.name is None else f" --window-name {asked.name}"
    end = "" if asked.end is None else f"/{in_text(asked.end)}"
    given = "".join(f" --key '{each}'" for each in keys)
    return f"windrow why {query.name}{given} --window {in_text(asked.start)}{end}{name}"


def _typed(value: object) -> str:
    return in_text(value) if isinstance(value, datetime) else str(value)
