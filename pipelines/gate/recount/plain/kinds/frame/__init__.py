"""Frames by their values: a file per kind (frame.delta: delta.py)."""
