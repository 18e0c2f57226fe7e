"""What a check says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """One check's word on one version of a table.

    figure: what was measured; allowed: its limit; offending: SQL for `windrow query` that shows the rows
    which broke it (None where the check holds). `table_name` and `table_version` name exactly what was judged.
    """

    check_name: str
    passed: bool
    figure: str
    allowed: str
    offending: str | None = None
    table_name: str = ""
    table_version: int = -1
