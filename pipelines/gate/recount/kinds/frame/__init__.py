"""FrameWindows: runs of the events that have a value."""
