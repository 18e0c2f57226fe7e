"""Aggregators of point events: one file or folder = one kernel, found by looking. Each explains it and
defines `KERNEL`, its window API. Names that start with an underscore are shared by several kernels.

`make` is that of kernels/api.py for these kernels alone: make("finger_tree", {"trips": agg("count")}, min_arity=8)."""

from windrow.kernels.runtime.found import KernelFolder

folder = KernelFolder(__name__, __path__)
kernels, window_class, make = folder.names, folder.load, folder.make
