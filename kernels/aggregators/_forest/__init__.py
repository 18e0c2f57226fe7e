"""What both monoid trees (MTA §4) stand on: levels of nodes in order of arrival, named by their place in the stream.

Update number i of the stream is node i of level 0; node i of level l + 1 is the aggregate of the nodes 2i and 2i + 1
of level l, a pair ⟨e0, e1⟩ of the paper. The window is the updates [first, end). Sum over 1 2 1 2 1 2, the first
update already gone (∅), and the youngest one, 2, still open:

    level 2   [ ∅+·  …                first = 1, end = 5: node 0 of level 2 begins, but isn't complete
    level 1   [ ∅+2   1+2 ] [ 1+·     nodes 0 and 1 make a pair; node 2 isn't complete
    level 0   [ ∅  2 ] [ 1  2 ] [ 1   queues of pairs, one per level, each in a ring of its own
    open      2                       the youngest time: later events of that time still combine with it

A node is its newest update's time and its state. Nodes are written once and never again: what evictions make stale is
never read. So they may lie in memory (rings) or in a store (pages), see paging.py.

Naming nodes by absolute place makes Theorem 1 plain: the children of node i are 2i and 2i + 1. The paper counts places
from the queue's head, which is why it needs two cases.
"""
