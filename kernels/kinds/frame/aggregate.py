"""Aggregate frames: they grow until an aggregate of them reaches a bound (kernels/frames/_kinds.py)."""

from windrow.kernels.kinds._dependent import CutKind

KIND = CutKind()
