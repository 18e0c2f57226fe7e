"""What is asked of a structure behind an address (kernels/native.py): one number per operation.

A kernel has one function (structure, operation, first, second, third) → word for all of them: its machine code is then
made once, whoever asks: its object, or a replay that keeps panes in it.

    CREATE(plan, option, option) → structure  DESTROY, RESET (empty it)
    INSERT(time, state)                       INSERT_BURST(times, source, rows), times ascending
    EVICT(time) → 1, or 0 if nothing is there BULK_EVICT(time): everything up to it
    QUERY, RANGE_QUERY(low, high) → address of an aggregate, valid until the next operation
    APPEND_RANGE(low, high, into): into ⊗= the aggregate of [low, high)
    OLDEST → time, FOREVER if it is empty     YOUNGEST → time, −FOREVER if it is empty
    FIRST_FROM(time) → time of the first entry at or after it, FOREVER if there is none
    COUNT → entries                           COUNT_BETWEEN(low, high) → entries
    COPY_ENTRIES(low, high, target): (time, state) of each
    INSERT_SORTED(times, states, rows), HOLD(time, state): for kernels/each, which keeps the query's young part itself
"""

CREATE, DESTROY, RESET, INSERT, INSERT_BURST, EVICT, BULK_EVICT, QUERY, RANGE_QUERY, APPEND_RANGE = range(10)
OLDEST, YOUNGEST, FIRST_FROM, COUNT, COUNT_BETWEEN, COPY_ENTRIES, IS_EMPTY = range(10, 17)
INSERT_SORTED, HOLD = range(17, 19)
FOREVER = (1 << 63) - 1
