"""What a kernel of frames can be asked: a table of compiled functions, one per operation.

Its object (_object.py) calls through this table, and knows of the kernel that its structure begins as KeyFrames do.
"""

from kernels.runtime.struct import Struct
from kernels.runtime.tables import Operation

DONE, OUT_OF_ORDER, FULL, TOO_OLD = range(4)
"""Statuses: done; or nothing was inserted, since it comes before the youngest, since there is no room, or since it
comes before what was evicted."""

NONE = -1


class FrameKernel(Struct):
    """The operations, s being the structure that `create` made. Times in µs; a tuple is a row of the structure's
    events, and rows ascend by arrival.

    create(plan, rules, options) → structure; options: the address of words that the kernel's class gives
    destroy(s), reset(s): give it back; make it empty
    append_run(s, times, first, end) → the row behind the first that closed a frame, or `end`: rows whose times, at
        `times`, never fall, behind all tuples; 0 of a kernel that has no faster way than one by one
    insert(s, time, row) → status; close_burst(s): behind the tuples of one tick, before frames are looked at
    content(s, frame) → address of the aggregates of a Frame's tuples, valid until the next operation
    closing_row(s, frame) → row of the tuple that closes a Frame, NONE if none has come
    rows_of(s, frame, rows) → how many tuples a frame has that are kept; their rows are written unless `rows` is 0
    evict(s, time): frames that were closed before `time`, and what else no frame needs that is before it
    least_row(s) → the least row that is kept, or −1
    save(s, into) → words of all that it holds, written unless `into` is 0
    load(s, saved, words, first, end) → 1: an empty one got it; 0: that isn't what stands in so many words, or names
        rows beyond first … end − 1
    """

    create: Operation()
    destroy: Operation()
    reset: Operation()
    append_run: Operation()
    insert: Operation()
    close_burst: Operation()
    content: Operation()
    closing_row: Operation()
    rows_of: Operation()
    evict: Operation()
    least_row: Operation()
    save: Operation()
    load: Operation()
