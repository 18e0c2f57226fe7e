"""Kernels of frames, windows that the values or times of tuples open and close (FRAMES; sessions too). One file = one
kernel, found by looking; each defines `KERNEL`, the class of its object. Names that start with an underscore are
shared; what cuts each kind of frame stands in _kinds.py."""

from collections.abc import Mapping

from windrow.kernels.runtime.found import KernelFolder
from windrow.schemas.query import Aggregate
from windrow.schemas.windows import Window

folder = KernelFolder(__name__, __path__)
kernels, window_class = folder.names, folder.load


def make(kernel: str, frame: Window, aggregates: Mapping[str, Aggregate], **options):
    """As `make` of kernels/api.py, of these kernels alone."""
    return folder.make(kernel, aggregates, frame, **options)
