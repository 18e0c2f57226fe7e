"""Every kind of window that the gate counts again, and aggregates over the columns of the small lake's events."""

from datetime import date, datetime, timedelta

from windrow.schemas.query import (
    agg,
    count,
    delta,
    frame,
    policy,
    rolling,
    session,
    slide_by_tuple,
    sliding,
    spanning,
    tumbling,
)

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
WINDOWS = {
    "tumbling": tumbling(2 * HOUR),
    "sliding": sliding(3 * HOUR, HOUR),
    "sliding with gaps": sliding(HOUR, 2 * HOUR),
    "size no multiple of slide": sliding(timedelta(minutes=150), HOUR),
    # The clocks of New York change in the night after the first day.
    "calendar day": tumbling(DAY, zone="America/New_York"),
    "parts of a day": sliding(DAY / 2, DAY / 4, zone="America/New_York"),
    "calendar days": sliding(2 * DAY, DAY, date(2024, 3, 1), zone="America/New_York"),
    "days from six": tumbling(DAY, datetime(2024, 3, 1, 6), zone="America/New_York"),
    "rolling": rolling(2 * HOUR),
    "rolling, closed left": rolling(2 * HOUR, closed="left"),
    "spanning": spanning(3 * HOUR, HOUR, longest=2 * HOUR),
    "spanning with gaps": spanning(HOUR, 2 * HOUR, longest=HOUR),
    "prorated": spanning(3 * HOUR, HOUR, longest=2 * HOUR, attribution="prorated"),
    "prorated with gaps": spanning(HOUR, 1.5 * HOUR, longest=HOUR, attribution="prorated"),
    "at the start": spanning(3 * HOUR, HOUR, longest=2 * HOUR, attribution="start"),
    "at the end": spanning(3 * HOUR, 2 * HOUR, longest=2 * HOUR, attribution="end"),
}
"""Whose windows follow from times alone."""
DEPENDENT = {
    "session": session(30 * MINUTE),
    "session by column": session("whole", 3 * MINUTE),
    "count": count(4, 3),
    "count by event time": count(4, 3, "event_time"),
    "delta": delta("whole", 40, 5),
    "slide_by_tuple": slide_by_tuple(3 * HOUR, 2),
    "policy": policy("until", most=4, length_us=4 * HOUR // timedelta(microseconds=1)),
    "frame.threshold": frame.threshold("whole", 0),
    "frame.delta": frame.delta("whole", 30),
    "frame.aggregate": frame.aggregate("count", "whole", 3),
    "frame.boundary": frame.boundary("whole", 25),
}
"""Whose windows depend on their key's other events."""
AGGREGATES = {
    "n": agg("count"),
    "wholes": agg("count", "whole"),
    "total": agg("sum", "whole"),
    "real_total": agg("sum", "real"),
    "mean": agg("mean", "real"),
    "mean_whole": agg("mean", "whole"),
    "least": agg("min", "real"),
    "most": agg("max", "whole"),
}
OF_SHARES = {name: each for name, each in AGGREGATES.items() if each.function in ("count", "sum", "mean")}
