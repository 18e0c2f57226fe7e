"""Which versions of which tables hold one run's rows of a day, and which it read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AuditVersions:
    """Delta versions: of the audit tables that a run wrote, of silver and the pass ticks that it read. `snapshot`: the
    name of what it read, which orders publications; "" is older than any. `state`: of the state table, where the query
    has one, and `state_digest`, by which what it left there is compared; `published`: of the results, when what the run
    goes on from was published."""

    audit: int
    late_audit: int
    silver: int
    passes: int
    snapshot: str = ""
    state: int | None = None
    state_digest: str | None = None
    published: int | None = None
