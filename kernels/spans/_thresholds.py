"""The figures by which a key of events that last gets its kernel (_planner.py). Fitted to measured maps, as
docs/decisions/0024 says; `make calibrate` measures a map again, and proposes figures."""

UNDER_WAY = 6
"""Height h pays from UNDER_WAY · h² events under way at once."""
MOST_HEIGHT = 64
"""Of slices: a greater one was never the best with up to 10,000 events under way at once."""
MOST_STATE_WORDS = 4096
"""Words of the φ of all levels of a slice: slices of large states stay low, as thousands of slices may be open."""
FEW_OVERLAPPED = 7
"""Buckets pay if at most so many events begin within a window's length less its slide, and too few are under way for
height 2."""
MANY_SLICES = 100
"""Sweeping pays, for what it serves, from so many slices on that a mean event meets."""
