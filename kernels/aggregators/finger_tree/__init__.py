"""The finger B-tree (FiBA) as one window: entries at any time in, aggregates of all or of any range out.

An example with minimum arity 2 (at most 4 children an inner node), drawn with leaves of 4 entries where they hold 16,
times 1 to 14 inserted in order, sum:

                     [ ·  5·  9·  13 ]             the root knows 5-8 and 9-12; 1-4 and 13-14 lie on the spines
                    /     |     |      \\
          [1 2 3 4]  [5 6 7 8] [9 … 12] [13 14]    leaves are full on in-order growth
            left finger                  right finger

    query() = (1+2+3+4) + (5…14): the left leaf's suffix ⊗ the young part, both kept.
    insert(15) goes into the right leaf and the young part; insert(6), which is late, waits with other late entries
    until its place is asked for; bulk_evict(5) frees the first leaf, drops 5 and makes the second the left finger.

Source: FIBA (Tangwongsan, Hirzel, Schneider, VLDB 2023) §3-5, as a B+ tree: values only in leaves,
aggregates of children in their parent, so that making a node's aggregate again is one scan over neighbouring words.
"""

from kernels.aggregators.finger_tree.window_api import FingerTree

KERNEL = FingerTree

__all__ = ["KERNEL", "FingerTree"]
