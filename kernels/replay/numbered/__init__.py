"""Windows that have numbers, and bounds in closed form (logic.py), whichever way their events are held: panes or
single events (points.py, in_time.py), or slices of events that last (spans.py)."""
