"""Slide policies: one file = one policy, found by looking; each defines `POLICY`, an EvictionPolicy."""
