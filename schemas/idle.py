"""How long a stream may be silent before its watermark goes on without events (`idle_after`).

While nothing arrives, a stream has a heartbeat at each whole `idle_after` of silence: at the arrival times
s + k·idle_after, k = 1, 2, …, before the next arrival. s is the last arrival tick or, if later, the day's beginning in
UTC. A heartbeat at a moves the watermark as an event with start a − idle_after would, and is no event. There is none
before the stream's first event.
"""

from datetime import timedelta

from schemas.windows import DAY, require

LEAST = timedelta(minutes=1)


def require_idle_after(value: object) -> None:
    """None, or from a minute to less than a day: each silent day then has a heartbeat, and 1,439 at most."""
    allowed = "a timedelta from 1 minute to less than 1 day, or None for a watermark that only events move"
    right = value is None or (isinstance(value, timedelta) and LEAST <= value < DAY)
    require(right, "idle_after", value, allowed)
