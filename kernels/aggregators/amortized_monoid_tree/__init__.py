"""Amortised MTA (MTA §4.2) as one window: in order, policies, O(1) amortised insert and evict."""

from kernels.aggregators.amortized_monoid_tree import forest
from kernels.aggregators.amortized_monoid_tree.window_api import AmortizedMonoidTree

KERNEL, EXPLAINED_IN = AmortizedMonoidTree, forest

__all__ = ["EXPLAINED_IN", "KERNEL", "AmortizedMonoidTree"]
