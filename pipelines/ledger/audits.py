"""What became of audits: rows of a day that wait for their publication, and rows that nobody waits for any more."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from pipelines.delta.lake import Lake
from pipelines.ledger import run_table, running
from pipelines.ledger.run_table import StepRow
from pipelines.tables.audit_versions import AuditVersions


@dataclass(frozen=True)
class Audits:
    """By query and day. waiting: the newest audits whose rows were neither published nor superseded, be it that their
    gate failed; settled_at: when the rows of the newest audit were. A day that is being audited is in neither."""

    waiting: Mapping[tuple[str, date], StepRow]
    settled_at: Mapping[tuple[str, date], datetime]


def audits(lake: Lake) -> Audits:
    """From the ledger. O(its rows of audits and publications)."""
    rows = run_table.rows(lake, [("step", "=", "audit")])
    audited = {row.replayed for row in rows if row.state == running.RUNNING}
    newest = {row.replayed: row for row in rows if row.state == "done" and row.replayed not in audited}
    ended = {(row.replayed, AuditVersions(**row.inputs)): row.at for row in _ended_publications(lake)}
    settled = {day: ended.get((day, AuditVersions(**row.outputs))) for day, row in newest.items()}
    return Audits(
        {day: row for day, row in newest.items() if settled[day] is None},
        {day: at for day, at in settled.items() if at is not None},
    )


def _ended_publications(lake: Lake) -> list[StepRow]:
    """Those that published, and those that were skipped since another run does."""
    return [row for row in run_table.rows(lake, [("step", "=", "publish")]) if row.state in ("done", "skipped")]
