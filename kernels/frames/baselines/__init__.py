"""Kernels that papers compare with: no replay takes one that isn't named."""
