"""Opens the recount of a run: the tables that the laws compare its rows with."""

from datetime import date

from pipelines.audit_versions import AuditVersions
from pipelines.checks.recount.history import add_history
from pipelines.checks.recount.session import open_session
from pipelines.checks.recount.sources import add_sources
from pipelines.checks.recount.subject import Recount
from pipelines.checks.recount.windows import add_windows
from pipelines.config import Config
from schemas.query import Query
from schemas.stream import Stream


def open_recount(config: Config, query: Query, stream: Stream, day: date, versions: AuditVersions) -> Recount:
    """Count a day of a query again, at these versions of silver, the pass ticks and the audit tables."""
    recount = Recount(open_session(config), query, stream, day, versions)
    add_sources(recount, config)
    add_windows(recount)
    add_history(recount)
    return recount
