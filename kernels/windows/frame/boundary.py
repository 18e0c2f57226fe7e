"""Boundary frames: values between the same two multiples of a width (kernels/frames/rules/boundary.py)."""

from kernels.windows._dependent import CutKind

KIND = CutKind()
