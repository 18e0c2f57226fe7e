"""What cuts frames (FRAMES; semantics §2), and what a kernel that keeps them can be asked, as tables of functions.

For each tuple in order: does it close the frame, and if it is in none, does it open one? Each kind brings its
predicates; they see a value as a float64.

    tuple          5    7    2    8              threshold 5:  5 opens, 7 grows, 2 closes and is in none, 8 opens
    frames        [5    7]        [8 …
"""

from windrow.kernels.columns import LIMIT_US
from windrow.kernels.runtime.fields import Address, Code, Count, Flag, Float, Microseconds, Place, Ref, Times, Word
from windrow.kernels.runtime.memory import as_float, inner
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.states.layout import NO_COLUMN, GrowingRows, StatePlan
from windrow.schemas.errors import WrongParameter

DONE, OUT_OF_ORDER, FULL, TOO_OLD = range(4)
"""Statuses: done; or nothing was inserted, since it comes before the youngest, since there is no room, or since it
comes before what was evicted."""

NONE = -1

NOTHING, OPENING_VALUE, ALL, REACH = range(4)
"""What a frame's end depends on, apart from its youngest tuple: two ways to cut tuples agree from a tuple on that both
have in a frame if they agree on that. Its reach never falls as tuples come, so that such frames only ever merge."""


class Frame(Struct):
    """Tuples (first, first_row) … (last, last_row). opening: what the kind notes of the first; grown: the state of an
    aggregate frame, of all its tuples.

    reach: of frames whose end depends on it, the time from which on tuples close it
    content: the aggregates of those up to (folded, folded_row), if it has some: address 0, or has_content is False.
    """

    first: Microseconds
    first_row: Place
    last: Microseconds
    last_row: Place
    opening: Float("value")
    reach: Microseconds
    grown: Address
    content: Address
    has_content: Flag()
    folded: Microseconds
    folded_row: Place


class Predicates(Struct):
    """What a kind of frames brings, compiled once for all of its frames. rules: FrameRules, or what goes on from them.

    closes(rules, frame, time, value) → 1 if the tuple ends the frame, which has none behind it, and isn't in it
    opens(rules, value) → 1 if a tuple that is in no frame opens one; 0: each does
    note_opening(rules, frame, value): what the kind notes of the first tuple; 0: its value
    note_taken(rules, frame, time, value): what the kind notes of each tuple of a frame; 0: nothing
    is_one(rules, frame, tuples) → 0 if a frame of so many tuples is too short to be one; 0: each is one
    """

    closes: Operation("FrameRules", Frame, Microseconds, Word)
    opens: Operation("FrameRules", Word)
    note_opening: Operation("FrameRules", Frame, Word)
    note_taken: Operation("FrameRules", Frame, Microseconds, Word)
    is_one: Operation("FrameRules", Frame, Count)


class FrameRules(Predicates):
    """What all kinds have; each goes on with fields of its own.

    column, is_float: where values stand, and whether they are float64; NO_COLUMN: any tuple counts, without a value
    are_above_zero: whether a value that isn't counts as none
    depends_on: see NOTHING, OPENING_VALUE, ALL, REACH
    plan, bound: of aggregate frames: of the aggregate that closes, and from which answer on; growing: how it is asked;
        has_failed: whether it has had no right answer
    """

    column: Place
    is_float: Flag()
    are_above_zero: Flag()
    depends_on: Code
    plan: Ref(StatePlan)
    growing: Ref(GrowingRows)
    bound: Float("answer")
    has_failed: Flag()


@inner
def closes_frame(rules, frame, entry):
    return rules.closes(rules, frame, entry.time, entry.word) == 1


@inner
def opens_frame(rules, entry):
    return rules.opens == 0 or rules.opens(rules, entry.word) == 1


@inner
def is_long_enough(rules, frame, tuples):
    """Whether a frame of so many tuples is one that others see."""
    return rules.is_one == 0 or rules.is_one(rules, frame, tuples) == 1


@inner
def counts(rules, events, row):
    """Whether a tuple has a value: one without neither opens, grows nor closes a frame (semantics §2)."""
    return rules.column == NO_COLUMN or events.valid[rules.column * events.rows + row] != 0


@inner
def is_in_frames(rules, events, row):
    """The same where rules may ask for more of a value than to be there."""
    if not counts(rules, events, row):
        return False
    return not rules.are_above_zero or events.values[rules.column * events.rows + row] > 0


@inner
def value_of(rules, events, row):
    """Of a tuple that counts, as a float64; 0 where tuples count without one."""
    if rules.column == NO_COLUMN:
        return 0.0
    word = events.values[rules.column * events.rows + row]
    return as_float(word) if rules.is_float else float(word)


def within(parameter: str, number: int) -> int:
    """A length in µs or a count, if kernels can hold it. Raises WrongParameter."""
    if number > LIMIT_US:
        raise WrongParameter(parameter, number, f"at most 2**61, {LIMIT_US:,}")
    return number


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

    create: Operation(StatePlan, FrameRules, Address)
    destroy: Operation(Address)
    reset: Operation(Address)
    append_run: Operation(Address, Times, Place, Place)
    insert: Operation(Address, Microseconds, Place)
    close_burst: Operation(Address)
    content: Operation(Address, Frame)
    closing_row: Operation(Address, Frame)
    rows_of: Operation(Address, Frame, Address)
    evict: Operation(Address, Microseconds)
    least_row: Operation(Address)
    save: Operation(Address, Address)
    load: Operation(Address, Address, Count, Place, Place)


def refusal(kernel: str, status: int, time: str, floor: str, capacity: int) -> str:
    """Why a kernel couldn't take a tuple of a time, and what to do."""
    if status == OUT_OF_ORDER:
        return f"{time} comes before the youngest: {kernel} was made with sorting in_order; take eager or lazy"
    if status == TOO_OLD:
        return (
            f"{time} comes before {floor}, up to which was evicted, by evict() or the policy evict_after; evict later, "
            "or leave it out"
        )
    return (
        f"{time} finds no free cell among {capacity} of {kernel}, and no live tuple is overwritten; give a larger "
        "capacity, or evict sooner: evict_after and evict, or evict()"
    )
