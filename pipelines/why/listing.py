"""An explanation as rows, for the command, the report and JSON."""

from collections.abc import Sequence
from typing import Any

from windrow.pipelines.why.difference import Difference, WindowDifference
from windrow.pipelines.why.explain import (
    EventChange,
    ExplainedRevision,
    ExplainedWindow,
    Explanation,
    definition_text,
    is_of_now,
)
from windrow.pipelines.why.published import PublishingRun
from windrow.schemas.query import Query
from windrow.schemas.windows import MICROSECOND

_OF_WINDOW = ("window_start", "window_end", "window_number")


def revision_rows(explanation: Explanation, window: ExplainedWindow) -> list[dict]:
    """Each row of the table, how many events came and left, and whether it adds up."""
    left_out = {*explanation.asked.query.key, *explanation.asked.query.name_column, *_OF_WINDOW, "emitted_date"}
    return [
        {
            **{name: value for name, value in each.row.items() if name not in left_out},
            "came": sum(change.sign == "+" for change in each.changes),
            "left": sum(change.sign == "−" for change in each.changes),
            "adds_up": "; ".join(each.wrong) or "yes",
            "run": each.run.publish.run_id if each.run else None,
        }
        for each in window.revisions
    ]


def change_rows(revision: ExplainedRevision, columns: Sequence[str]) -> list[dict]:
    return [_change_row(each, columns) for each in revision.changes]


def run_rows(explanation: Explanation) -> list[dict]:
    """Who published each day's rows."""
    query = explanation.asked.query
    return [_run_row(day, run, query) for day, run in sorted(explanation.runs.items()) if run is not None]


def _run_row(day: object, run: PublishingRun, query: Query) -> dict:
    now = "today's" if is_of_now(run, query) else "another than today's"
    return {
        "day": day,
        "run": run.publish.run_id,
        "published_at": run.publish.at,
        "kernel": run.audit.kernel if run.audit else None,
        "definition": f"{run.publish.definition_hash}, {now}",
        "code": run.publish.code_hash,
        "silver_version": run.publish.versions.silver,
        "checks": f"{run.verdicts.passed} of {len(run.verdicts.checks)} passed",
    }


def missed_rows(window: ExplainedWindow, columns: Sequence[str]) -> list[dict]:
    """Late rows, with what the query reads of them where the table has it."""
    names = ("reason", "path", "line", "reading", "start", "end", "arrival", "late_by", *columns)
    rows = ({name: row[name] for name in names if name in row} for row in window.missed)
    return [{**row, "late_by": None if (us := row["late_by"]) is None else us * MICROSECOND} for row in rows]


def as_json(explanation: Explanation) -> dict[str, Any]:
    """All of it."""
    asked, columns = explanation.asked, explanation.columns
    known = [run for _, run in sorted(explanation.runs.items()) if run is not None]
    runs = [
        {**row, "definition_text": definition_text(run, asked.query), "verdicts": run.verdicts.checks}
        for row, run in zip(run_rows(explanation), known, strict=True)
    ]
    return {
        "query": asked.query.name,
        "version": explanation.version,
        "adds_up": explanation.adds_up,
        "not_counted_again": explanation.not_counted,
        "remarks": explanation.remarks,
        "windows": [_window_json(explanation, window, columns) for window in explanation.windows],
        "runs": runs,
    }


def _window_json(explanation: Explanation, window: ExplainedWindow, columns: Sequence[str]) -> dict[str, Any]:
    revisions = zip(revision_rows(explanation, window), window.revisions, strict=True)
    return {
        **dict(zip(_OF_WINDOW, window.place, strict=True)),
        "revisions": [{**row, "changes": change_rows(each, columns)} for row, each in revisions],
        "missed": missed_rows(window, columns),
    }


def reason_rows(window: WindowDifference, columns: Sequence[str]) -> list[dict]:
    """The events of a difference, each with why only one of the rows covers it."""
    return [{**_change_row(each.change, columns), "why": each.why} for each in window.reasons]


def difference_json(found: Difference) -> dict[str, Any]:
    """All of a difference."""
    explanation = found.second or found.first
    assert explanation is not None, "one of the versions has the window"
    return {
        "query": explanation.asked.query.name,
        "versions": [None if each is None else each.version for each in (found.first, found.second)],
        "adds_up": found.adds_up,
        "definition": found.definition,
        "windows": [
            {
                **dict(zip(_OF_WINDOW, window.place, strict=True)),
                "values": [vars(value) for value in window.values],
                "rows": window.rows,
                "events": reason_rows(window, explanation.columns),
            }
            for window in found.windows
        ],
        "remarks": list(dict.fromkeys(r for each in (found.first, found.second) if each for r in each.remarks)),
    }


def _change_row(change: EventChange, columns: Sequence[str]) -> dict:
    return change.row([name for name in columns if name in change.event.row])
