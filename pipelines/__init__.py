"""The flow, in reading order: flow.py is the map, then one file per stage."""

from pipelines import compiled_kernels

compiled_kernels.use()
