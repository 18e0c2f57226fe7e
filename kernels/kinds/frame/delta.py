"""Delta frames: a tuple opens one, and it grows while values stay near that (kernels/frames/_kinds.py)."""

from windrow.kernels.kinds._dependent import CutKind

KIND = CutKind()
