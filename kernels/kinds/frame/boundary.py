"""Boundary frames: values between the same two multiples of a width (kernels/frames/_kinds.py)."""

from windrow.kernels.kinds._dependent import CutKind

KIND = CutKind()
