"""Opens the recount of a run: the tables that the laws compare its rows with."""

from pipelines.delta.lake import Lake
from pipelines.gate.recount.drawn import add_drawn
from pipelines.gate.recount.history import add_history
from pipelines.gate.recount.kinds import in_sql
from pipelines.gate.recount.plain.kinds import not_cut_exactly
from pipelines.gate.recount.query_days import AuditedDays, Recount
from pipelines.gate.recount.share import ALL_KEYS, KeyShare
from pipelines.gate.recount.sources import add_sources
from pipelines.gate.recount.tables import open_recount_database


def open_recount(lake: Lake, of: AuditedDays, share: KeyShare = ALL_KEYS) -> Recount:
    """Count some keys of days without a gap again, at their versions of silver, the pass ticks and the audit tables.
    NotRecounted for windows of a kind that has no SQL."""
    windows = in_sql(of.query.window)
    recount = Recount(of.tables, of.days, of.versions, open_recount_database(lake), windows, before=of.before)
    add_sources(recount, lake, share)
    windows.add_windows(recount)
    add_history(recount)
    if not of.query.window.context_free and not_cut_exactly(of.query.window) is None:
        add_drawn(recount, lake)
    return recount
