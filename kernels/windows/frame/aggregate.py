"""Aggregate frames: they grow until an aggregate of them reaches a bound (kernels/frames/rules/aggregate.py)."""

from kernels.windows._dependent import CutKind

KIND = CutKind()
