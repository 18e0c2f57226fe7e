"""How many events the rows of sessions with a gap for each event hold, by how far their events reach.

    start     ├───────┤                 an event covers the times from its start to before start + gap: a window ends
                 ├──────────────┤       where one of its own reaches and none goes on; none from before covers its start
              start            end

How many events cover a time is how many start before it less how many reach no further: two counts, no walk.
"""

import numpy as np

from pipelines.gate.recount.ordered_events import OrderedEvents
from pipelines.gate.recount.rows_held import HeldBounds, RowsToCount


def bounds_by_reach(events: OrderedEvents, reaches_us: np.ndarray, rows: RowsToCount) -> HeldBounds:
    """Of rows that silver allows fewest and most are one number. reaches_us: of each event, start + gap. O(events ·
    log² events + rows · log events)."""
    order = np.lexsort((reaches_us, events.keys))
    by_reach = OrderedEvents(events.keys[order], reaches_us[order], events.arrivals_us[order])
    firsts, ends = (events.place(rows.keys, each) for each in (rows.starts_us, rows.ends_us))
    behind_first = events.place(rows.keys, rows.starts_us + 1)
    known_first, known_behind, known_end = _arrived(events, rows.emitted_us, firsts, behind_first, ends)
    over_first, over_end = (by_reach.place(rows.keys, each + 1) for each in (rows.starts_us, rows.ends_us))
    reached = _arrived(by_reach, rows.emitted_us, over_first, over_end, by_reach.place(rows.keys, rows.ends_us))
    is_alone = (known_first == reached[0]) & (known_end == reached[1])
    has_ends = (known_behind > known_first) & (reached[1] > reached[2])
    exists = is_alone & has_ends & _unbroken(events, reaches_us, firsts, ends)
    held, ever = known_end - known_first, ends - firsts
    in_time_first, in_time_end = _arrived(events, np.minimum(rows.reached_us, rows.emitted_us), firsts, ends)
    late = held - (in_time_end - in_time_first)
    return HeldBounds(*(np.where(exists, each, 0) for each in (held, held, late, late, ever)))


def _arrived(events: OrderedEvents, by_us: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """Of each place, how many events before it had arrived by then."""
    return events.arrived(np.concatenate(places), np.tile(by_us, len(places))).reshape(len(places), -1)


def _unbroken(events: OrderedEvents, reaches_us: np.ndarray, firsts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Whether no event in a window, but its first, begins a session: those that come later only cover more."""
    if not len(reaches_us):
        return np.zeros(len(firsts), bool)
    known, ranks = np.unique(reaches_us, return_inverse=True)
    furthest = known[np.maximum.accumulate(events.keys * len(known) + ranks) % len(known)]
    begins = np.append(True, (np.diff(events.keys) != 0) | (events.starts_us[1:] >= furthest[:-1]))
    sessions = np.cumsum(begins)
    last = len(begins) - 1
    return sessions[np.clip(ends - 1, firsts, last)] == sessions[np.minimum(firsts, last)]
