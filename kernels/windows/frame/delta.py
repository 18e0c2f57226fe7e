"""Delta frames: a tuple opens one, and it grows while values stay near that (kernels/frames/rules/delta.py)."""

from kernels.windows._dependent import CutKind

KIND = CutKind()
