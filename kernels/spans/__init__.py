"""Kernels for events that last: an event is in every window that its interval meets (SPANS)."""

SE_SLICING = "se_slicing"
KERNELS = (SE_SLICING,)
"""Names of the kernels."""
