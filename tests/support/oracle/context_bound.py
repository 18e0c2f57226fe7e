"""What a replay of context-bound windows means (semantics §2, §3): the gate's plain replay of each key, in rows."""

from collections import defaultdict

from pipelines.gate.recount.plain.aggregates import aggregate
from pipelines.gate.recount.plain.kinds import is_by_arrival
from pipelines.gate.recount.plain.replay import KeyReplay, PlainRow, is_too_late
from pipelines.gate.recount.plain.ticks import Event, Tick, to_time
from schemas.query import Query


class ContextBoundSystem:
    """As oracle.StreamingSystem, which takes one tick after the other."""

    def __init__(self, query: Query):
        self.query = query
        self.replays = defaultdict(lambda: KeyReplay(query))

    def take(self, tick: Tick) -> None:
        bursts = defaultdict(list)
        for event in tick.burst:
            bursts[event.key].append(event)
        for key in self.replays.keys() | bursts.keys():
            self.replays[key].take(tick._replace(burst=bursts[key]))

    @property
    def rows(self) -> list[dict]:
        """Of all keys."""
        return [_written(self.query, key, row) for key, replay in self.replays.items() for row in replay.rows]

    @property
    def held(self) -> list[list[dict]]:
        """The events of each row."""
        return [[event.row for event in row.events] for replay in self.replays.values() for row in replay.rows]


def _written(query: Query, key: tuple, row: PlainRow) -> dict:
    start, end, number = row.place
    held = [event.row for event in row.events]
    return {
        **dict(zip(query.key, key, strict=True)),
        "window_start": to_time(start),
        "window_end": to_time(end),
        "window_number": number,
        "revision": row.revision,
        "pane": row.pane,
        "emitted_at": to_time(row.emitted_at),
        "events": len(held),
        "late_events": row.late_events,
        **{name: aggregate(each, held) if held else None for name, each in query.aggregates.items()},
    }


def late_of(event: Event, query: Query) -> dict | None:
    """As oracle.late has it: no windows are missed, as which there are depends on the event."""
    if is_by_arrival(query.window) or not is_too_late(event, query):
        return None
    missed = dict.fromkeys(("first_missed", "last_missed", "windows_missed"))
    return {"reason": "too late", **missed, "late_by": event.watermark_before - (event.start + 1)}
