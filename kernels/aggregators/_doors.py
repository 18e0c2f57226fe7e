"""What is asked of a structure behind an address (kernels/native.py): one number per operation.

A kernel has one function (structure, operation, first, second, third) → word for all of them: its machine code is then
made once, whoever asks: its object, or a replay that keeps panes in it.

    CREATE(plan, option, option) → structure  DESTROY, RESET (empty it); options are those that the kernel's class gives
    INSERT(time, state, row) → status         INSERT_BURST(times, source, rows) → status, times ascending
    EVICT(time) → status                      BULK_EVICT(time) → status: everything up to it
    QUERY, RANGE_QUERY(low, high) → address of an aggregate, valid until the next operation; 0 if it is not kept
    APPEND_RANGE(low, high, into): into ⊗= the aggregate of [low, high)
    OLDEST → time, FOREVER if it is empty     YOUNGEST → time, −FOREVER if it is empty
    FIRST_FROM(time) → time of the first entry at or after it, FOREVER if there is none
    COUNT → entries                           COUNT_BETWEEN(low, high) → entries
    COPY_ENTRIES(low, high, target): (time, state) of each
    INSERT_SORTED(times, states, rows), HOLD(time, state): for kernels/each, which keeps the query's young part itself
    EXPECT(times, rows, ranks): of kernels that must know all times before the first comes: those in order, and the rank
        of each row among them; only these look at INSERT's row
"""

CREATE, DESTROY, RESET, INSERT, INSERT_BURST, EVICT, BULK_EVICT, QUERY, RANGE_QUERY, APPEND_RANGE = range(10)
OLDEST, YOUNGEST, FIRST_FROM, COUNT, COUNT_BETWEEN, COPY_ENTRIES, IS_EMPTY = range(10, 17)
INSERT_SORTED, HOLD, EXPECT = range(17, 20)
FIRST_OWN = 32
"""Operations that only some kernels have begin here."""
FOREVER = (1 << 63) - 1

DONE, NOTHING, OUT_OF_ORDER, NOT_OLDEST = range(4)
"""Statuses: done; nothing is there; nothing was inserted, since it begins before the youngest; not the oldest."""
