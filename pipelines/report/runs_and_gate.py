"""The page of runs and of the gate: status per day, durations, verdicts; it makes Great Expectations' pages."""

import os
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean

import altair as alt

from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.validation_results import index
from windrow.pipelines.ledger.newest_steps import last, newest
from windrow.pipelines.ledger.run_table import StepRow
from windrow.pipelines.ledger.stale import FindStale, StaleRun
from windrow.pipelines.report import figure as f
from windrow.pipelines.report.page import Link, PageFigure, PageTable, Remark, ReportPage, Section
from windrow.pipelines.report.reader import Reader, reading
from windrow.schemas.errors import NotSetUp, WindrowError
from windrow.schemas.ledger_tables import VERDICTS

PAGE = "runs.html"
MOST_DAYS, _MOST_RUNS, _FAILED_SHOWN, _STALE_SHOWN, _PROBLEMS_SHOWN = 60, 600, 20, 30, 20
_CELL_PX = 34
STALE = "stale"
_STATES = {
    **{"done": f.GREEN, STALE: f.ORANGE, "skipped": f.GREY, "running": f.BLUE},
    **{"refused": f.PURPLE, "failed": f.RED, "cut off": "#7a3b2e"},
}
_STEPS = {"ingest": f.PURPLE, "audit": f.BLUE, "publish": f.GREEN}


def runs_page(lake: Lake, folder: Path, find_stale: FindStale, with_data_docs: bool) -> ReportPage:
    """From the ledger. `folder`: where the site will lie, for the links out of it; with_data_docs: makes these again
    too, for which Great Expectations is imported."""
    steps, found = newest(lake), find_stale()
    docs = (_made_data_docs if with_data_docs else _data_docs)(lake.config, folder)
    lead = "Which days ran and how they ended, how long they took, and what each check of the gate found."
    if not steps:
        nothing = Remark("Nothing has run yet. Begin with:", command="windrow ingest STREAM")
        return ReportPage(PAGE, "Runs and gate", "Runs and gate", lead, (Section("", (nothing, docs)),))
    of_last_runs = last(lake, _MOST_RUNS, stages=True)
    whole = [row for row in of_last_runs if row.stage is None]
    sections = [
        Section("Status per day", tuple(_calendars(steps, found))),
        _stale_runs(found),
        Section("Durations", (durations(whole), *stage_seconds(of_last_runs))),
        _gate(lake, docs),
        *_problems(steps),
    ]
    return ReportPage(PAGE, "Runs and gate", "Runs and gate", lead, tuple(sections))


def _of(row: StepRow) -> str:
    return row.query or f"ingest {row.stream}"


def _calendars(steps: list[StepRow], found: list[StaleRun]) -> list[PageFigure | Remark]:
    """By query and day, the state of its newest step; `stale` where what it published would come out differently."""
    of_days = [row for row in steps if row.query is not None and row.logical_date is not None]
    cells = {(row.query, row.logical_date): (row.state, (row.message or "")[:200]) for row in of_days}
    cells |= {(run.query, run.day): (STALE, "") for run in found}
    if not cells:
        return [Remark("No query was replayed yet.", command="windrow replay QUERY --day YYYY-MM-DD")]
    streams, by_stream = {row.query: row.stream for row in of_days}, defaultdict(list)
    for (query, day), (state, message) in sorted(cells.items()):
        cell = {"query": query, "day": str(day), "state": state, "message": message}
        by_stream[streams.get(query, "")].append(cell)
    return [_calendar(stream, of_stream) for stream, of_stream in sorted(by_stream.items())]


def _calendar(stream: str, cells: list[dict]) -> PageFigure:
    days = sorted({cell["day"] for cell in cells})[-MOST_DAYS:]
    found = [cell for cell in cells if cell["day"] in days]
    days_axis = alt.Axis(labelAngle=-60, labelOverlap=True)
    marks = f.chart(found).mark_rect(cornerRadius=3, stroke="transparent", strokeWidth=3)
    chart = marks.encode(
        x=alt.X("day:O", title=None, scale=alt.Scale(padding=0.06), axis=days_axis),
        y=alt.Y("query:N", title=None, scale=alt.Scale(padding=0.08)),
        color=f.colours("state", _STATES),
        tooltip=["query:N", "day:O", "state:N", "message:N"],
    )
    caption = (
        f"The newest step of each arrival day that ran, of at most {MOST_DAYS} days. Days without a run are left out."
    )
    sized = chart.properties(width=alt.Step(_CELL_PX), height=alt.Step(_CELL_PX))
    return f.figure(f"calendar-{stream}", f"Days of {stream}", caption, sized, height_px=None)


def _stale_runs(found: list[StaleRun]) -> Section:
    if not found:
        fresh = Remark("No run is stale: everything published would come out the same now.", "good")
        return Section("Stale runs", (fresh,))
    rows = [(run.query, str(run.day), "; ".join(run.reasons)) for run in found[:_STALE_SHOWN]]
    commands = "; ".join(f"windrow backfill {query} --stale" for query in sorted({run.query for run in found}))
    again = Remark(
        f"{len(found):,} published days would come out differently now. To make them again:", "bad", commands
    )
    caption = f"The first {_STALE_SHOWN} of {len(found):,}." if len(found) > _STALE_SHOWN else ""
    return Section("Stale runs", (again, PageTable("", ("query", "day", "why"), rows, caption)))


def durations(steps: list[StepRow]) -> PageFigure:
    ended = [row for row in steps if row.state == "done"][-_MOST_RUNS:] or steps[-_MOST_RUNS:]
    found = [
        {"of": _of(row), "step": row.step, "day": str(row.logical_date or ""), "seconds": row.seconds, "at": row.at}
        for row in ended
    ]
    marks = f.chart(found).mark_circle(size=55, opacity=0.65)
    chart = marks.encode(
        x=alt.X("seconds:Q", title=None, **f.length_axis()),
        y=alt.Y("of:N", title=None, axis=alt.Axis(grid=True)),
        color=f.colours("step", _STEPS),
        tooltip=["of:N", "step:N", "day:N", f.tip("seconds", format=",.3~r"), f.time_tip("at", "ended")],
    )
    caption = f"Each dot is a step of a run that ended well, the newest {_MOST_RUNS}: wall time in its process."
    return f.figure("durations", "How long steps took", caption, chart, f.lines_px(found, "of"))


def stage_seconds(steps: list[StepRow]) -> list[PageFigure]:
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in steps:
        if row.stage is not None and row.state == "done":
            seconds[_of(row), row.stage].append(float(row.seconds))
    if not seconds:
        return []
    found = [
        {"of": of, "stage": stage, "seconds": fmean(each), "runs": len(each)}
        for (of, stage), each in sorted(seconds.items())
    ]
    marks = f.chart(found).mark_bar()
    chart = marks.encode(
        x=alt.X("seconds:Q", title="seconds a run, mean", stack="zero"),
        y=alt.Y("of:N", title=None),
        color=alt.Color("stage:N", title=None),
        tooltip=["of:N", "stage:N", f.tip("seconds", format=",.3~r"), "runs:Q"],
    )
    caption = (
        "Mean wall time of each stage that ended well. The rest of a run is the start of Python and of the engine."
    )
    return [f.figure("stages", "Where the time goes", caption, chart, f.lines_px(found, "of"))]


def _made_data_docs(config: Config, folder: Path) -> PageTable | Remark:
    from windrow.pipelines.gate.validation import build

    try:
        build(config)
    except NotSetUp as nothing:
        return Remark(f"The results of Great Expectations have pages of their own, Data Docs: {nothing}")
    except WindrowError as error:
        return Remark(f"The pages of what Great Expectations found could not be made: {error}", "bad")
    return _data_docs(config, folder)


def _data_docs(config: Config, folder: Path) -> PageTable | Remark:
    first_page = index(config)
    if not first_page.exists():
        what = "The results of Great Expectations have pages of their own, Data Docs. To make them:"
        return Remark(what, command="windrow report")
    link = Link("Data Docs", Path(os.path.relpath(first_page, folder)).as_posix())
    caption = "Pages on suites and validation results. windrow report renews them."
    return PageTable("", ("results of Great Expectations",), [(link,)], caption)


def _gate(lake: Lake, docs: PageTable | Remark) -> Section:
    if lake.version(VERDICTS.name) is None:
        return Section("The gate", (Remark("No check has run yet."), docs))
    with reading(lake, VERDICTS.name) as reader:
        found = reader.tuples("""
            SELECT check_name, count(*) AS ran, count(*) FILTER (NOT passed) AS failed,
                arg_max(figure, "at") AS figure, arg_max(allowed, "at") AS allowed
            FROM verdicts GROUP BY check_name ORDER BY failed DESC, check_name""")
        columns = ("check", "ran", "failed", "newest figure", "limit")
        return Section("The gate", (*_failed(reader), checks(reader), PageTable("By check", columns, found), docs))


def checks(reader: Reader) -> PageFigure:
    found = reader.table("""
        SELECT coalesce(query, 'ingest ' || stream) AS "of", count(*) AS verdicts,
            CASE WHEN passed THEN 'passed' ELSE 'failed' END AS verdict FROM verdicts GROUP BY ALL ORDER BY ALL""")
    marks = f.chart(found).mark_bar()
    chart = marks.encode(
        x=alt.X("verdicts:Q", title="verdicts", stack="zero", axis=f.count_axis()),
        y=alt.Y("of:N", title=None),
        color=f.colours("verdict", {"passed": f.GREEN, "failed": f.RED}),
        tooltip=["of:N", "verdict:N", f.tip("verdicts")],
    )
    caption = "Each check of each run looks at one version of a table."
    return f.figure("verdicts", "Verdicts", caption, chart, f.lines_px(found, "of"))


def _failed(reader: Reader) -> list[PageTable | Remark]:
    shown = reader.tuples(f"""
        SELECT strftime("at", '%Y-%m-%d %H:%M'), coalesce(query, stream), coalesce(logical_date::VARCHAR, ''),
            check_name, figure, allowed, coalesce(offending, '') FROM verdicts
        WHERE NOT passed ORDER BY "at" DESC, check_name LIMIT {_FAILED_SHOWN}""")
    if not shown:
        return [Remark("Every check passed.", "good")]
    columns = ("when", "of", "day", "check", "figure", "limit", "the offending rows, for windrow query")
    return [PageTable("Checks that failed, the newest first", columns, shown, mark="samples")]


def _problems(steps: list[StepRow]) -> list[Section]:
    wrong = not_ended_well(steps)
    if not wrong:
        return []
    shown = [
        (f"{row.at:%Y-%m-%d %H:%M}", _of(row), str(row.logical_date or ""), row.step, row.state, row.message or "")
        for row in sorted(wrong, key=lambda row: row.at, reverse=True)[:_PROBLEMS_SHOWN]
    ]
    columns = ("when", "of", "day", "step", "state", "message")
    listing = PageTable(counted(wrong), columns, shown, "Only those that no newer step replaced.")
    return [Section("What did not end well", (listing,))]


def not_ended_well(steps: list[StepRow]) -> list[StepRow]:
    """Those that no newer step of the same day replaced."""
    newest = {(_of(row), row.logical_date): row for row in steps}
    return [row for row in newest.values() if row.state in ("failed", "refused", "cut off")]


def counted(steps: list[StepRow]) -> str:
    counts = Counter(row.state for row in steps)
    return ", ".join(f"{count:,} {state}" for state, count in counts.items())
