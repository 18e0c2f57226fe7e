"""Aggregates at given moments: of each probe the events of its key in (time − size, time].

entry.py      probe_keys: checks, puts events in the order in which they come in, names what went wrong
probe.py      the compiled pass over a key's probes
newest.py     which row of a table was the newest at each probe
"""
