"""Kernels for events that last: an event is in every window that its interval meets (SPANS). One file = one kernel,
found by looking; each defines `KERNEL`, the class of its object. Names that start with an underscore are shared."""

from collections.abc import Mapping

from windrow.kernels.runtime.found import KernelFolder
from windrow.schemas.query import Aggregate
from windrow.schemas.windows import Window

SE_SLICING = "se_slicing"

folder = KernelFolder(__name__, __path__)
kernels, window_class = folder.names, folder.load


def make(kernel: str, window: Window, aggregates: Mapping[str, Aggregate], **options):
    """As `make` of kernels/api.py, of these kernels alone."""
    return folder.make(kernel, aggregates, window, **options)
