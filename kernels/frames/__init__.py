"""Kernels of frames, windows that the values or times of tuples open and close (FRAMES; sessions too). One file = one
kernel, found by looking; each defines `KERNEL`, the class of its object. Names that start with an underscore are
shared; what cuts each kind of frame stands in _kinds.py."""

from collections.abc import Mapping

from kernels.runtime.found import KernelFolder
from schemas.query import Aggregate
from schemas.windows import Window

folder = KernelFolder(__name__, __path__)
kernels, window_class = folder.names, folder.load


def make(kernel: str, frame: Window, aggregates: Mapping[str, Aggregate], **options):
    """As kernels.api.make, of these kernels alone."""
    return folder.make(kernel, aggregates, frame, **options)
