"""The flow, in reading order: flow.py is the map, then one file per stage."""
