"""ISO weeks: days of a calendar, seven by seven (_calendar.py)."""

from kernels.windows.sliding import SlidingKind

KIND = SlidingKind()
