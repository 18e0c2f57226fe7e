"""Which tuples each window of a farm has, by plain scans over all tuples of a key (semantics §2)."""

from typing import NamedTuple

from pipelines.gate.recount.plain.ticks import to_us
from schemas.windows import Count, Delta, SlideByTuple, Window
from tests.support.oracle.windows import windows_around


class PlainWindow(NamedTuple):
    """A window's bounds in µs, and the places of its tuples."""

    start: int
    end: int
    places: list[int]


def windows_of(window: Window, times: list[int], attribute: list[float]) -> list[PlainWindow]:
    """Of one key's tuples, in order; the attribute is that of delta windows."""
    if isinstance(window, Count):
        firsts = range(0, len(times) - window.size + 1, window.step)
        return [_of_tuples(times, list(range(first, first + window.size))) for first in firsts]
    if isinstance(window, Delta):
        return _delta(window, times, attribute)
    if isinstance(window, SlideByTuple):
        return _slide_by_tuple(window, times)
    bounds = sorted({each for time in times for each in windows_around(time, window)})
    places = {each: [place for place, time in enumerate(times) if each[0] <= time < each[1]] for each in bounds}
    return [PlainWindow(*each, places[each]) for each in bounds]


def _of_tuples(times: list[int], places: list[int]) -> PlainWindow:
    return PlainWindow(times[places[0]], times[places[-1]] + 1, places)


def _delta(window: Delta, times: list[int], attribute: list[float]) -> list[PlainWindow]:
    found, marker = [], attribute[0] if attribute else 0.0
    for place, value in enumerate(attribute):
        if value - marker >= window.threshold:
            places = [each for each in range(place) if value - window.extent <= attribute[each] < value]
            found += [_of_tuples(times, places)] if places else []
            marker = value
    return found


def _slide_by_tuple(window: SlideByTuple, times: list[int]) -> list[PlainWindow]:
    found, size = [], to_us(window.size)
    for trigger in range(window.step - 1, len(times), window.step):
        low = times[trigger] - size
        found.append(PlainWindow(low, times[trigger] + 1, [k for k in range(trigger + 1) if times[k] >= low]))
    return found
