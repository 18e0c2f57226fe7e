"""Opens the recount of a run: the tables that the laws compare its rows with."""

from datetime import date
from typing import TYPE_CHECKING

from pipelines.gate.recount.history import add_history
from pipelines.gate.recount.kinds import in_sql
from pipelines.gate.recount.recount import Recount
from pipelines.gate.recount.session import open_session
from pipelines.gate.recount.sources import add_sources
from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.lake import Lake

if TYPE_CHECKING:
    from pipelines.lake.query_tables import QueryTables  # which knows the kernels: a recount uses none


def open_recount(lake: Lake, tables: "QueryTables", day: date, versions: AuditVersions) -> Recount:
    """Count a day of a query again, at these versions of silver, the pass ticks and the audit tables.
    NotRecounted for windows of a kind that has no SQL."""
    windows = in_sql(tables.query.window)
    recount = Recount(open_session(lake), tables, day, versions, windows)
    add_sources(recount, lake)
    windows.add_windows(recount)
    add_history(recount)
    return recount
