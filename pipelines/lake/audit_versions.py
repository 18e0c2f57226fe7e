"""Which versions of which tables hold one run's rows of a day, and which it read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AuditVersions:
    """Delta versions: of the audit tables that a run wrote, of silver and the pass ticks that it read. `snapshot`: the
    name of what it read, which orders publications; "" is older than any."""

    audit: int
    late_audit: int
    silver: int
    passes: int
    snapshot: str = ""
