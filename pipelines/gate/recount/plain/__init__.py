"""What windows that depend on their key's other events hold at each tick, as plainly as possible: lists, dicts and a
walk over all events of a key, found anew whenever one comes (semantics §2, §3).

`kinds/` has the windows of a key's events, a file per kind; `replay.py` the rows that a key's ticks bring; `ticks.py`
events, ticks and the watermark; `aggregates.py` values, exactly. Nothing here is fast. Of the checkout it imports
schemas/ alone, so that the gate and the tests compare what kernels make with something that shares no code with them.
"""
