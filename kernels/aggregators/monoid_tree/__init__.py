"""Log MTA (MTA §4.1) as one window: in order, policies, O(log n) for everything but the query."""

from kernels.aggregators.monoid_tree import tree
from kernels.aggregators.monoid_tree.window_api import MonoidTree

KERNEL, EXPLAINED_IN = MonoidTree, tree

__all__ = ["EXPLAINED_IN", "KERNEL", "MonoidTree"]
