"""What cuts frames (FRAMES; semantics §2): for each tuple in order: does it close the frame, and if it is in none, does
it open one? Each kind brings its predicates as compiled functions; they see a value as a float64.

    tuple          5    7    2    8              threshold 5:  5 opens, 7 grows, 2 closes and is in none, 8 opens
    frames        [5    7]        [8 …
"""

from collections.abc import Callable

from kernels.columns import LIMIT_US
from kernels.runtime.calls import call
from kernels.runtime.fields import Address, Code, Flag, Float, Microseconds, Place, Ref
from kernels.runtime.memory import as_float, as_word, inner
from kernels.runtime.struct import Struct
from kernels.runtime.tables import Operation, compiled_table
from kernels.states.layout import NO_COLUMN, GrowingRows, StatePlan
from schemas.errors import WrongParameter

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


class FrameRules(Struct):
    """What all kinds have; each goes on with fields of its own.

    closes(rules, frame, time, value) → 1 if the tuple ends the frame, which has none behind it, and isn't in it
    opens(rules, value) → 1 if a tuple that is in no frame opens one; 0: each does
    note_opening(rules, frame, value): what the kind notes of the first tuple; 0: its value
    note_taken(rules, frame, time, value): what the kind notes of each tuple of a frame; 0: nothing
    is_one(rules, frame, tuples) → 0 if a frame of so many tuples is too short to be one; 0: each is one
    column, is_float: where values stand, and whether they are float64; NO_COLUMN: any tuple counts, without a value
    are_above_zero: whether a value that isn't counts as none
    depends_on: see NOTHING, OPENING_VALUE, ALL, REACH
    plan, bound: of aggregate frames: of the aggregate that closes, and from which answer on; growing: how it is asked;
        has_failed: whether it has had no right answer
    """

    closes: Operation()
    opens: Operation()
    note_opening: Operation()
    note_taken: Operation()
    is_one: Operation()
    column: Place
    is_float: Flag()
    are_above_zero: Flag()
    depends_on: Code
    plan: Ref(StatePlan)
    growing: Ref(GrowingRows)
    bound: Float("answer")
    has_failed: Flag()


@inner
def closes_frame(rules, frame, time, value):
    """Whether a tuple behind the last of a frame ends it."""
    return call(rules.closes, rules, frame, time, as_word(value)) == 1


@inner
def opens_frame(rules, value):
    """Whether a tuple in no frame opens one."""
    return rules.opens == 0 or call(rules.opens, rules, as_word(value)) == 1


@inner
def is_long_enough(rules, frame, tuples):
    """Whether a frame of so many tuples is one that others see."""
    return rules.is_one == 0 or call(rules.is_one, rules, frame, tuples) == 1


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


class Predicates(Struct):
    """A kind's, compiled once for all of its frames."""

    closes: Operation()
    opens: Operation()
    note_opening: Operation()
    note_taken: Operation()
    is_one: Operation()


def compiled_predicates(name: str, *functions: Callable) -> Predicates:
    """A kind's predicates, named as the operations of FrameRules, compiled now or loaded from the disk cache."""
    return compiled_table(Predicates, f"{name}_frames", {function.__name__: function for function in functions})


def made_rules(struct: type[FrameRules], predicates: Predicates, **fields) -> FrameRules:
    """The struct of a kind with some fields."""
    return struct.make(**{name: getattr(predicates, name) for name in Predicates.fields}, **fields)
