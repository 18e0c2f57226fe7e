"""What became of audits: rows of a day that wait for their publication, and rows that nobody waits for any more."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from pipelines.delta.lake import Lake
from pipelines.ledger import run_table, running
from pipelines.ledger.run_table import StepRow


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
    publications = run_table.rows(lake, [("step", "=", "publish")])  # a skipped one: another run publishes
    ended = {(row.replayed, row.versions): row.at for row in publications if row.state in ("done", "skipped")}
    settled = {day: ended.get((day, row.versions)) for day, row in newest.items()}
    return Audits(
        {day: row for day, row in newest.items() if settled[day] is None},
        {day: at for day, at in settled.items() if at is not None},
    )
