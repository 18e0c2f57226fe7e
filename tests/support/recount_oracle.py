"""What windows hold by pairing every event with each of them: the slow and obvious recount, in plain Python.

It takes the recount's own tables of events and windows, so that it shows one thing: counting by stretches of windows.
"""

from collections import defaultdict
from collections.abc import Iterator

from pipelines.gate.recount.query_days import Recount

TICKS = {
    "final": lambda arrival, reached, closed: closed,
    "watermark": lambda arrival, reached, closed: max(arrival, reached),
    "arrival": lambda arrival, reached, closed: arrival,
}


def pairs(recount: Recount) -> Iterator[tuple]:
    """(key, window, event, tick) of each window and each event that it holds and that was not too late for it."""
    columns = [row[0] for row in recount.rows("DESCRIBE windows")]
    windows = [dict(zip(columns, row, strict=True)) for row in recount.rows("SELECT * FROM windows")]
    columns = [row[0] for row in recount.rows("DESCRIBE candidates")]
    events = [dict(zip(columns, row, strict=True)) for row in recount.rows("SELECT * FROM candidates")]
    tick = TICKS[recount.query.emit]
    first_us = "reach_us" if getattr(recount.query.window, "attribution", "") == "end" else "start_us"
    for window in windows:
        for event in events:
            of_key = window.get("key_number", event["key_number"]) == event["key_number"]
            meets = event[first_us] < window["window_end_us"] and event["reach_us"] >= window["window_start_us"]
            if of_key and meets and event["arrival_us"] <= window["closed_us"]:
                at_us = tick(event["arrival_us"], window["reached_us"], window["closed_us"])
                yield event["key_number"], window, event, max(at_us, window.get("born_us", at_us))


def can_emit(recount: Recount, window: dict) -> bool:
    """Whether the day may emit rows of a window: still open, and its first row can have come."""
    first_row_us = {"final": window["closed_us"], "watermark": window["reached_us"]}.get(recount.query.emit)
    return window["closed_us"] >= recount.start_us and (first_row_us is None or first_row_us < recount.end_us)


def history(recount: Recount) -> set[tuple]:
    """(key, window start, window end, tick, revision, events, late events) of the windows of which the day may emit."""
    arrived = defaultdict(lambda: defaultdict(list))
    for key, window, event, tick_us in pairs(recount):
        if can_emit(recount, window):
            place = key, window["window_start_us"], window["window_end_us"]
            arrived[place][tick_us].append(event["arrival_us"] > window["reached_us"])
    found = set()
    for place, ticks in arrived.items():
        so_far: list[bool] = []
        for revision, tick_us in enumerate(sorted(ticks)):
            so_far += ticks[tick_us]
            found.add((*place, tick_us, revision, len(so_far), sum(so_far)))
    return found
