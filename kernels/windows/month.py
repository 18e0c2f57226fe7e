"""Calendar months: a calendar of months, not of days (_calendar.py)."""

from kernels.windows.sliding import SlidingKind

KIND = SlidingKind()
