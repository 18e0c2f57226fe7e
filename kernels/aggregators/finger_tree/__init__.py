"""The finger B-tree (FiBA) as one window: entries at any time in, aggregates of all or of any range out.

An example with minimum arity 2 (at most 4 entries a leaf, 4 children an inner node), times 1 to 14 inserted
in order, sum:

                     [ ·  5·  9·  13 ]             the root knows 5-8 and 9-12; 1-4 and 13-14 lie on the
                     spines
                    /     |     |      \\
          [1 2 3 4]  [5 6 7 8] [9 … 12] [13 14]    leaves are full on in-order growth
            left finger                  right finger

    query() = (1+2+3+4) + (5…8 + 9…12) + (13+14): left side ⊗ middle ⊗ right side, all three cached.
    insert(15) touches the right leaf only; insert(6.5) touches a leaf and one slot of the root; bulk_evict(5)
    cuts the first leaf off, thins the second to [6 7 8] and makes it the left finger.

Source: FIBA (Tangwongsan, Hirzel, Schneider, VLDB 2023) §3-5, as a B+ tree: values only in leaves, aggregates
    of children in
their parent, so that making a node's aggregate again is one scan over neighbouring words.
"""

from kernels.aggregators.finger_tree.face import FingerTree

KERNEL = FingerTree

__all__ = ["KERNEL", "FingerTree"]
