"""The flow: flow.py is the map, each folder one part of it, docs/flow.md the way through them."""
