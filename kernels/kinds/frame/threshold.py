"""Threshold frames: maximal runs of tuples whose value is at least something (kernels/frames/_kinds.py)."""

from windrow.kernels.kinds._dependent import CutKind

KIND = CutKind()
