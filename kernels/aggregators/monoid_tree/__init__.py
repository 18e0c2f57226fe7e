"""Log MTA (MTA §4.1) as one window: in order, policies, O(log n) for everything but the query. See tree.py."""

from kernels.aggregators.monoid_tree.face import MonoidTree

KERNEL = MonoidTree

__all__ = ["KERNEL", "MonoidTree"]
