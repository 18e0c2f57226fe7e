"""ISO weeks: days of a calendar, seven by seven (kernels/bounds/calendar.py)."""

from windrow.kernels.kinds.sliding import SlidingKind

KIND = SlidingKind()
