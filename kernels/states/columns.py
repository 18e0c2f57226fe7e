"""What the lifting of a row looks at: the columns of one slot."""

from typing import NamedTuple

from kernels.runtime.fields import Elements
from kernels.runtime.memory import inner
from kernels.states.layout import Events


class SlotColumns(NamedTuple):
    """times[row], values[row], … of the slot's own column and of its second one.

    Looked up once for many rows: what a loop writes may be anything to the compiler, also the plan.
    """

    has_column: bool
    times: Elements
    values: Elements
    valid: Elements
    second_values: Elements
    second_valid: Elements


@inner
def columns_of(slot, events):
    """Columns of a slot; those that it doesn't have must not be looked at."""
    events = Events(events)
    first, second = slot.column * events.rows, slot.second_column * events.rows
    return SlotColumns(
        slot.column >= 0,
        events.times,
        events.values[first:],
        events.valid[first:],
        events.values[second:],
        events.valid[second:],
    )
