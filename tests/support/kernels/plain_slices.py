"""SE-Slicing as SPANS prints it (algorithms 1 to 4, table 2): a list of slices, each event taken as the clock reaches
its end. It shares no code with kernels/. Times are whole numbers; windows start at multiples of the slide, from 0 on.
"""

from dataclasses import dataclass, field


@dataclass
class Slice:
    """`[low, high)` with the values of events that end in it, and of those that go on behind it."""

    low: int
    high: int
    ends_here: list = field(default_factory=list)
    goes_on: list = field(default_factory=list)

    def meets(self, start: int, end: int) -> bool:
        """Whether `[start, end)` shares a time with the slice."""
        return start < self.high and self.low < end


class PlainSlices:
    """Slices of Pairs over a stretch of time; all events in are kept."""

    def __init__(self, size: int, slide: int, until: int):
        self.size, self.slices = size, []
        for at in range(0, until, slide):
            self.slices += [
                Slice(low, high)
                for low, high in ((at, at + size % slide), (at + size % slide, at + slide))
                if low < high
            ]

    def insert(self, start: int, end: int, value: object) -> None:
        """Algorithm 3: back from the newest slice, to those that meet the event."""
        for each in reversed(self.slices):
            if each.meets(start, end):
                (each.ends_here if each.low < end <= each.high else each.goes_on).append(value)

    def release(self, start: int) -> list:
        """Algorithm 4: all that ended in the window's slices, and what goes on from its last."""
        held = [each for each in self.slices if each.meets(start, start + self.size)]
        return [value for each in held for value in each.ends_here] + held[-1].goes_on

    def release_selected(self, start: int, select) -> object:
        """§3.2.1: what is selected from each slice's own, whoever else has it."""
        held = [each for each in self.slices if each.meets(start, start + self.size)]
        return select(value for each in held for value in each.ends_here + each.goes_on)
