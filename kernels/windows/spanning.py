"""Spanning windows: cut as sliding ones; an event is in every window that its interval meets."""

from kernels.windows.sliding import block_words

__all__ = ["block_words"]
