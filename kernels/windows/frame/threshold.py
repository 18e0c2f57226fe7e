"""Threshold frames: maximal runs of tuples whose value is at least something (kernels/frames/rules/threshold.py)."""

from kernels.windows._dependent import CutKind

KIND = CutKind()
