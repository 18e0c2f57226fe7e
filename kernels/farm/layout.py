"""The memory of a farm. Every compiled function takes addresses of these and nothing else.

    emitter ──descriptors──▶ workers ──▶ collector            a ring of descriptors, in window order:
       ▲                        │
       └────────feedback────────┘          collected │ computed, not collected │ taken │ to be taken │ free
                                                     ▲ collected               ▲ taken ▲ handed_out

Agnostic workers read one buffer of chunks, which only the emitter writes; active workers have an inbox and a private
buffer each (FARM §4.2.3, §5.3, §5.4).
"""

from windrow.kernels.bounds import KernelWindow
from windrow.kernels.farm.content import Real, WindowContent
from windrow.kernels.farm.monitor import Monitor
from windrow.kernels.runtime.fields import (
    Address,
    Bytes,
    Code,
    Count,
    Flag,
    Inline,
    Integer,
    Microseconds,
    Place,
    Pointer,
    Ref,
    Times,
    Word,
)
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import BYTE, Struct

TO_BE_TAKEN, TAKEN, COMPUTED = range(3)
TIMES, ORDINALS, ATTRIBUTES, AGES = range(4)
FOREVER = (1 << 61) + (1 << 60)
"""Later than every time, and more than every count."""
BACKWARDS, ATTRIBUTE_FALLS, KEY_IS_OVER, TOO_LARGE = range(1, 5)
"""Why a farm ends: a tuple before its key's newest, the same of the attribute of delta windows, a tuple of a key that
is over, or tuples that open windows need and that are more than the farm may hold."""
Nanoseconds = Integer("ns")


class Descriptor(Struct):
    """A window that was handed out (FARM §5.4.2.2): where its tuples are, and then what came of it.

    start, end: until its tuples are found those of what they are selected by, where that is not their times
    chunk, place: the first tuple, of agnostic workers; known_at, covered: of sorted tuples, those that arrived later
    don't count, and how many do count, whether they have values or not; outputs: floats of the result
    """

    key: Place
    number: Word
    start: Microseconds
    end: Microseconds
    count: Count
    chunk: Address
    place: Place
    known_at: Microseconds
    covered: Count
    state: Code
    status: Code
    worker: Place
    stretches: Count
    took: Nanoseconds
    outputs: Pointer(Real)


class Chunk(Struct):
    """Neighbouring tuples of a key in the shared buffer (FARM §5.4.2.1, §5.4.3.1).

    first_ordinal: of its first tuple among the key's
    starting: windows handed out and not computed yet whose first tuple is in it
    values: value i of column c at c * room + i
    """

    next: Address
    count: Count
    room: Count
    first_ordinal: Count
    starting: Count
    times: Times
    values: Pointer(Real)


class Substream(Struct):
    """The tuples of one key, and the next of its windows.

    tuples: how many came; newest: the time of the last; marker, latest: of delta windows, the value that triggered
    last, and the last value
    oldest, youngest: its chunks; chunk, place: the first tuple that the next window may have
    """

    key: Place
    tuples: Count
    newest: Microseconds
    next_window: Word
    is_over: Flag()
    marker: Real
    latest: Real
    oldest: Address
    youngest: Address
    chunk: Address
    place: Place


class Deque(Struct):
    """The private buffer of an active worker for one key: tuples first … end, in one piece."""

    first: Place
    end: Place
    room: Count
    times: Times
    values: Pointer(Real)


class Inbox(Struct):
    """Messages to one active worker (inbox.py). last, write_at, written, sent: the emitter's; first, read_at: the
    worker's; write_at, read_at: where the next message will stand, and does."""

    monitor: Inline(Monitor)
    first: Address
    read_at: Address
    last: Address
    write_at: Address
    written: Count
    sent: Count


class Worker(Struct):
    """A thread that computes windows.

    stop: a status with which the function at work must end, or 0; working_on: the place of its descriptor; began, busy:
    when that began, and the time in the function in all; handled: messages, of an active worker
    """

    number: Place
    stop: Code
    is_busy: Flag()
    began: Nanoseconds
    busy: Nanoseconds
    windows: Count
    stretches: Count
    working_on: Place
    handled: Count
    scratch_room: Count
    stretch_room: Count
    content: Inline(WindowContent)
    inbox: Inline(Inbox)
    deques: Pointer(Inline(Deque))


class TupleBatch(Struct):
    """Tuples to be taken: rows done … count; value i of column c at c * count + i."""

    keys: Pointer(Place)
    times: Times
    values: Pointer(Real)
    count: Count
    done: Count


class SortedTuples(Struct):
    """The arrays of given_windows.TuplesOfKeys; first_of_key: its offsets; value i of column c at c * stride + i."""

    first_of_key: Pointer(Place)
    times_us: Times
    arrivals_us: Times
    closed_us: Times
    has_value: Pointer(BYTE)
    values: Pointer(Real)
    stride: Count


class Farm(Struct):
    """The whole. Guarded by the monitor: states and counts of descriptors, `starting` of chunks, `held`, workers' stop.

    size, slide: of windows, in µs, tuples or as bits of floats; window: its closed forms, if it has them
    selects: by what windows have tuples: TIMES, ORDINALS, ATTRIBUTES of the column `attribute`, or AGES up to `size`;
        by ordinals or attributes one begins at its first tuple and ends behind its last, wherever they are
    sorted_tuples: those of a farm whose tuples are all here, which agnostic workers read instead of chunks
    wake_at: so many computed windows are enough to wake the emitter
    block_bytes: of `held`, blocks of messages to active workers; spare, spare_blocks: those that can be written again
    lacks_memory: whether the emitter waits for memory
    columns: of values, of which the function reads the first read_columns
    changes: computed windows and blocks of messages; wrong, wrong_row: why the farm ends, and at which row of a batch
    """

    monitor: Inline(Monitor)
    descriptors: Pointer(Inline(Descriptor))
    ring: Count
    handed_out: Count
    taken: Count
    computed: Count
    collected: Count
    wake_at: Count
    changes: Count
    is_active: Flag()
    stop: Code
    held: Bytes
    most_held: Bytes
    greatest_held: Bytes
    lacks_memory: Flag()
    block_bytes: Bytes
    spare: Address
    spare_blocks: Count
    wrong: Code
    wrong_row: Place
    sorted_tuples: Ref(SortedTuples)
    window: Ref(KernelWindow)
    selects: Code
    size: Word
    slide: Word
    attribute: Place
    chunk_tuples: Count
    columns: Count
    read_columns: Count
    outputs: Count
    compute: Operation(Address, Address)
    parameters: Pointer(Real)
    scratch_per_tuple: Count
    scratch_more: Count
    streams: Pointer(Inline(Substream))
    keys: Count
    workers: Pointer(Inline(Worker))
    worker_count: Count


@inner
def hold(farm, more_bytes):
    """The buffers take so much more memory. Of active workers only while the monitor is entered."""
    farm.held += more_bytes
    farm.greatest_held = max(farm.greatest_held, farm.held)


@inner
def tuple_bytes(farm, tuples):
    """Of their times and values."""
    return (1 + farm.columns) * tuples * WORD_BYTES


@inner
def copy_tuples(farm, count, target, source):
    """Each: where times and values of the first tuple stand, and how many values there are from column to column."""
    (times, values, stride), (from_times, from_values, from_stride) = target, source
    move(times.address, from_times.address, count)
    for column in range(farm.columns):
        move(values[column * stride :].address, from_values[column * from_stride :].address, count)
