"""What a query's `emit` says (semantics §3): from when on rows count an event, when they can come, and their firing."""

from pipelines.gate.recount.query_day import QueryDay

FIRINGS = {
    "final": "'final'",
    "watermark": "CASE WHEN tick_us = reached_us THEN 'on_time' ELSE 'late' END",
    "arrival": "CASE WHEN tick_us > reached_us THEN 'late' ELSE 'early' END",
}
TICKS = {"final": "w.closed_us", "arrival": "e.arrival_us", "watermark": "greatest(e.arrival_us, w.reached_us)"}
FIRST_ROWS = {"final": "closed_us", "watermark": "reached_us"}


def firing(recount: QueryDay) -> str:
    """SQL: the firing (column `pane`) of a row that came at `tick_us`, of a window that was reached at `reached_us`."""
    return FIRINGS[recount.query.emit]


def tick(recount: QueryDay) -> str:
    """SQL: the tick from which rows count an event `e` of a window `w`."""
    return TICKS[recount.query.emit]


def can_emit(recount: QueryDay) -> str:
    """SQL: whether the day may emit rows of a window: still open, and its first row can have come."""
    first_row = FIRST_ROWS.get(recount.query.emit)
    return f"closed_us >= {recount.start_us}" + (f" AND {first_row} < {recount.end_us}" if first_row else "")
