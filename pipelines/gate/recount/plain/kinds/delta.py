"""Delta windows: an event whose value is far enough beyond the last that triggered triggers."""

from windrow.pipelines.gate.recount.plain.ticks import Event, HeldWindow, Shape
from windrow.schemas.windows import Delta


def windows(window: Delta, events: list[Event]) -> list[HeldWindow]:
    """The first value is a marker and triggers nothing; events without a value are none."""
    marker, before, held = None, [], []
    for event in events:
        value = event.row[window.column]
        if value is None:
            continue
        if marker is None:
            marker = value
        elif value - marker >= window.threshold:
            marker = value
            within = [each for other, each in before if value - window.extent <= other < value]
            held += [HeldWindow(within[0].start, within[-1].start + 1, event.start + 1, within)] if within else []
        before.append((value, event))
    return held


def shape(window: Delta) -> Shape:
    """Of the events before the one that triggered some; which one that is, and when it was passed, no time says."""
    return Shape(all_between=False, passes_at_end=False)
