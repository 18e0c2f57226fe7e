"""Kernels for events that last: an event is in every window that its interval meets (SPANS)."""
