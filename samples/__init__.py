"""Generators of landing files: made-up events with the layouts, dirt and disorder of the real ones."""
