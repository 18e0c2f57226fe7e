"""Frames: windows that the values of tuples open and close."""
