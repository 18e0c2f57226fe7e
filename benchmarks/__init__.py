"""Measurements by hand: nothing here runs in the flow or is judged by time in a test."""

from pipelines import compiled_kernels

# Before any kernel is imported: Numba asks where to keep a kernel when it is defined.
compiled_kernels.use()
