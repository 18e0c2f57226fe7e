"""What the runs of days came to, for people as columns, for tools as whole reports; and what has landed since, or is
missing in the ledger."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from windrow.pipelines.cli import _output
from windrow.schemas import registry
from windrow.schemas.errors import LandingFailed, NotSetUp, Superseded
from windrow.schemas.stream import Stream

if TYPE_CHECKING:
    from windrow.pipelines.delta.lake import Lake
    from windrow.pipelines.runs.reports import DayReport, Done

# By model, what each of its farms did.
Farms: TypeAlias = Mapping[str, list[dict]]
NO_FARMS: Farms = {}
_log = logging.getLogger(__name__)


def warn_of_promises(reports: "Iterable[DayReport]") -> None:
    """A line for each promise that a published day is the first to find broken."""
    for report in reports:
        for each in report.promises:
            if each.is_news:
                _output.warn(f"{report.query} of {report.day} breaks a promise: {each}; see the table promises")


def show_done(done: "Done", as_json: bool, farms: Farms = NO_FARMS) -> int:
    """A row for each day that was published, and what `end` says."""
    warn_of_promises(done.reports)
    if done.reports or not done.failures:
        show_days(done.reports, as_json, farms)
    return end(done)


def end(done: "Done") -> int:
    """The exit code, or the error of the first day that was not published, which says of which it is where it is one of
    many; the others are warnings. Days that are skipped count only where there are no others."""
    failed = done.failed
    for each in failed[1:]:
        if not each.error.skipped:
            _log.warning("%s", each)
    if failed and not (failed[0].error.skipped and done.reports):
        first = failed[0]
        if len(done.failures) + len(done.reports) > 1 and not first.error.skipped:
            first.error.args = (str(first),)
        raise first.error
    return Superseded.exit_code if any(report.superseded for report in done.reports) else 0


def show_days(reports: "Sequence[DayReport]", as_json: bool, farms: Farms = NO_FARMS) -> None:
    """A row for each day, then one for each farm; a note only where some day has one."""
    if as_json:
        _output.show_json([_whole(report, farms) for report in reports])
        return
    rows = [_counted(report) for report in reports]
    names = dict.fromkeys(name for row in rows for name in row)
    _output.show([{name: row.get(name) for name in names} for row in rows], as_json)
    _show_farms(farms)


def show_day(report: "DayReport", as_json: bool, farms: Farms = NO_FARMS) -> None:
    """Names and values, with the run and the versions that it published, then a row for each farm."""
    warn_of_promises([report])
    if as_json:
        _output.show_facts(_whole(report, farms), as_json)
        return
    published = _by_name(report.query, report.versions, "version")
    _output.show_facts({"run": report.run_id, **_counted(report), **published}, as_json)
    _show_farms(farms)


def _whole(report: "DayReport", farms: Farms) -> dict[str, object]:
    found = vars(report) | {"promises": [each.plain for each in report.promises]}
    return found | ({"farms": farms[report.query]} if report.query in farms else {})


def _show_farms(farms: Farms) -> None:
    rows = [{"model": model, **row} for model, of_model in farms.items() for row in of_model]
    # Three digits say enough of a measured figure.
    short = [{name: float(f"{x:.3g}") if isinstance(x, float) else x for name, x in row.items()} for row in rows]
    _output.show(short, as_json=False)


def _counted(report: "DayReport") -> dict[str, object]:
    facts = {"query": report.query, "day": report.day, **_by_name(report.query, report.rows, "rows")}
    if report.checks:
        facts |= {"revisions": report.revisions, "checks": report.checks}
    return facts | ({"note": report.note} if report.note else {})


def _by_name(query: str, by_table: dict[str, int], what: str) -> dict[str, int]:
    """`rows` of the query's own table, `late rows` of <query>_late, in this order."""
    tables = sorted(by_table, key=len)
    return {f"{table.removeprefix(query).replace('_', ' ')} {what}".strip(): by_table[table] for table in tables}


def note_pending(lake: "Lake", streams: Iterable[Stream], effect: str) -> None:
    """Say of each stream how many files wait to be ingested, and what comes of that."""
    from windrow.pipelines.ingest.changes import pending
    from windrow.pipelines.ledger import snapshots
    from windrow.pipelines.tables.stream_tables import StreamTables

    for stream in streams:
        try:
            tables = StreamTables.of(stream)
            behind = pending(lake, tables) if lake.version(tables.files.name) is not None else []
        except (LandingFailed, NotSetUp) as error:
            _output.note(f"Windrow can't see whether files of {stream.name} wait to be ingested: {error}")
            continue
        if behind:
            _output.note(
                f"{len(behind)} file(s) of {stream.name} are new, changed, or parsed by an older definition, such as "
                f"{behind[0]}; {effect}: windrow ingest {stream.name}"
            )
        elif snapshots.is_behind(lake, stream.name):
            _output.note(
                f"the tables of {stream.name} differ from what the newest ingest in the ledger wrote: another ingest "
                f"is running or was cut off, or its ledger row is lost; {effect}: windrow ingest {stream.name}"
            )


def note_ahead(lake: "Lake", queries: Iterable[str]) -> None:
    """Say it of the streams of queries that were replayed."""
    streams = {name: registry.stream(name) for name in (registry.query(query).stream for query in queries)}
    note_pending(lake, streams.values(), "this replay read the newest ingest; to include them")
