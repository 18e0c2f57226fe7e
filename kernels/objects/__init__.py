"""A kernel as an object of Python's, whether of points, of events that last or of frames: its columns and their types,
what it refuses, its answers by name, its words saved and read, its invariants checked."""
