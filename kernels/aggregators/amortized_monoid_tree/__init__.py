"""Amortised MTA (MTA §4.2) as one window: in order, policies, O(1) amortised insert and evict. See forest.py."""

from kernels.aggregators.amortized_monoid_tree.face import AmortizedMonoidTree

KERNEL = AmortizedMonoidTree

__all__ = ["KERNEL", "AmortizedMonoidTree"]
