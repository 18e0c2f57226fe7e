"""What a check says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """One check's word on one version of a table.

    figure: what was measured; limit: what is allowed; offending: SQL for `windrow query` that shows the rows
    which broke it (None where the check holds). `table` and `table_version` name exactly what was judged.
    """

    check: str
    passed: bool
    figure: str
    limit: str
    offending: str | None = None
    table: str = ""
    table_version: int = -1
