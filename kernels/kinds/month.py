"""Calendar months: a calendar of months, not of days (kernels/bounds/calendar.py)."""

from windrow.kernels.kinds.sliding import SlidingKind

KIND = SlidingKind()
