"""ISO weeks: days of a calendar, seven by seven (kernels/bounds/calendar.py)."""

from kernels.windows.sliding import SlidingKind

KIND = SlidingKind()
