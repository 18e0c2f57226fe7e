"""A queue of entries (time, state) in order of time: what the kernels that take events in order stand on.

Entries are numbered through, from 0 on; one of number `ordinal` stands in a ring at place ordinal − lap, or, behind the
ring's end, at that − capacity. Eleven entries at times 10 to 20, of which five are evicted, in a ring of eight:

    place    0   1   2   3   4   5   6   7      first 5: time 15, the oldest, at place 5 − lap = 5
    time    18  19  20   ·   ·  15  16  17      end 11; closed 10: what is before it, a kernel has aggregated
    ordinal  8   9  10           5   6   7

The youngest entry (time 20) is open: events of its own time are combined into it, and only what follows closes it. Thus
no aggregate of a kernel's structure ever has to be taken back.

Insertion O(1), but O(n) where the ring has to grow, by an eighth: a window that only grows is copied nine times over,
one that slides not at all. Memory: times and states in two blocks, at most 9/8 of (1 + words of a state) words an
entry; once more the states if values are kept. Blocks never shrink.
"""
