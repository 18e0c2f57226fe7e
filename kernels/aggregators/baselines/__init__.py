"""Kernels that papers compare with, or that serve one order alone: no replay takes one that isn't named."""
