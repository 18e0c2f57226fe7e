"""What the runs of days came to: for people their counts as columns, for tools the whole reports."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipelines.cli import _output

if TYPE_CHECKING:
    from pipelines.runs.reports import DayReport, Done

_log = logging.getLogger(__name__)


def show_done(done: "Done", as_json: bool) -> int:
    """A row for each day that was published, and what `end` says."""
    if done.reports or not done.failures:
        show_days(done.reports, as_json)
    return end(done)


def end(done: "Done") -> int:
    """The exit code, or the error of the first day that was not published, which says of which it is where it is one of
    many; the others are warnings."""
    from schemas.errors import Superseded

    failed = done.failed
    for each in failed[1:]:
        if not each.error.skipped:
            _log.warning("%s", each)
    if failed:
        first = failed[0]
        if len(done.failures) + len(done.reports) > 1 and not first.error.skipped:
            first.error.args = (str(first),)
        raise first.error
    return Superseded.exit_code if any(report.superseded for report in done.reports) else 0


def show_days(reports: "Sequence[DayReport]", as_json: bool) -> None:
    """A row for each day; a note only where some day has one."""
    if as_json:
        _output.show_json([vars(report) for report in reports])
        return
    rows = [_counted(report) for report in reports]
    names = dict.fromkeys(name for row in rows for name in row)
    _output.show([{name: row.get(name) for name in names} for row in rows], as_json)


def show_day(report: "DayReport", as_json: bool) -> None:
    """Names and values, with the run and the versions that it published."""
    if as_json:
        _output.show_facts(vars(report), as_json)
        return
    published = _by_name(report.query, report.versions, "version")
    _output.show_facts({"run": report.run_id, **_counted(report), **published}, as_json)


def _counted(report: "DayReport") -> dict[str, object]:
    facts = {"query": report.query, "day": report.day, **_by_name(report.query, report.rows, "rows")}
    if report.checks:
        facts |= {"revisions": report.revisions, "checks": report.checks}
    return facts | ({"note": report.note} if report.note else {})


def _by_name(query: str, by_table: dict[str, int], what: str) -> dict[str, int]:
    """`rows` of the query's own table, `late rows` of <query>_late, in this order."""
    tables = sorted(by_table, key=len)
    return {f"{table.removeprefix(query).replace('_', ' ')} {what}".strip(): by_table[table] for table in tables}
