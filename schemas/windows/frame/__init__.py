"""Frames (FRAMES): an event's value opens and ends them. One file is one kind, `frame.` before its name."""
