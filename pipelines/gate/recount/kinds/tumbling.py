"""Tumbling windows: sliding windows that slide by their size."""

from pipelines.gate.recount.kinds._windows import SqlWindows
from pipelines.gate.recount.kinds.sliding import in_sql as sliding_in_sql
from schemas.windows import Tumbling


def in_sql(window: Tumbling) -> SqlWindows:
    """As sliding ones."""
    return sliding_in_sql(window)
