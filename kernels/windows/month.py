"""Calendar months: a calendar of months, not of days (kernels/bounds/calendar.py)."""

from kernels.windows.sliding import SlidingKind

KIND = SlidingKind()
