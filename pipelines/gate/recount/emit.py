"""What a query's `emit` says (semantics §3): from when on rows count an event, when they can come, and their firing."""

from pipelines.gate.recount.query_days import QueryDays

FIRINGS = {
    "final": "'final'",
    "watermark": "CASE WHEN tick_us = reached_us THEN 'on_time' ELSE 'late' END",
    "arrival": "CASE WHEN tick_us > reached_us THEN 'late' ELSE 'early' END",
}
NEWEST_TICKS = {"final": "w.closed_us", "watermark": "greatest({0}, w.reached_us, {1})", "arrival": "{0}"}
FIRST_ROWS = {"final": "closed_us", "watermark": "reached_us"}


def firing(recount: QueryDays) -> str:
    """SQL: the firing (column `pane`) of a row that came at `tick_us`, of a window that was reached at `reached_us`."""
    return FIRINGS[recount.query.emit]


def newest_tick(recount: QueryDays, newest_arrival_us: str, began_us: str) -> str:
    """SQL: the tick of the newest row of a window `w` that nothing changes any more."""
    return NEWEST_TICKS[recount.query.emit].format(newest_arrival_us, began_us)


def can_emit(recount: QueryDays) -> str:
    """SQL: whether the days may emit rows of a window: still open, and its first row can have come."""
    first_row = FIRST_ROWS.get(recount.query.emit)
    return f"closed_us >= {recount.start_us}" + (f" AND {first_row} < {recount.end_us}" if first_row else "")
