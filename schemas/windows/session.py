"""Sessions: runs of events, each less than a gap behind the one before. Days carry state.

A gap that differs from event to event is a column: each event keeps its session open for so many units.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from windrow.schemas.spelling import in_words
from windrow.schemas.windows._window import MICROSECOND, Window, require

LONGEST_UNIT = timedelta(days=36_500)
"""A century: of a longer one a gap of 1 would soon be behind the year 9999."""


@dataclass(frozen=True)
class Session(Window):
    """Maximal runs of events whose neighbours are less than `gap` apart. If `gap` is the name of an int64 column, each
    event covers that many `unit` from its start on. An event that starts after all covered time begins a session. An
    event without a value above zero is in no session."""

    gap: timedelta | str
    unit: timedelta | None = None
    kind: ClassVar[str] = "session"

    def __post_init__(self) -> None:
        if not isinstance(self.gap, str):
            require(_is_above_zero(self.gap), "gap", self.gap, "a timedelta above zero, or the name of an int64 column")
            require(self.unit is None, "unit", self.unit, "none, since the gap is no column")
            return
        require(self.gap != "", "gap", self.gap, "the name of an int64 column, or a timedelta above zero")
        allowed = f"a timedelta above zero, of {LONGEST_UNIT.days:,} days at most: how long 1 in column {self.gap} is"
        require(_is_above_zero(self.unit, LONGEST_UNIT), "unit", self.unit, allowed)

    def __repr__(self) -> str:
        # The state that a day carries on is known by this text: of a fixed gap it stays what it was before there were
        # units.
        unit = "" if self.unit is None else f", unit={self.unit!r}"
        return f"{type(self).__name__}(gap={self.gap!r}{unit})"

    @property
    def in_words(self) -> str:
        if self.unit is not None:
            return f"runs of events, each of which holds its run open for {self.column} times {in_words(self.unit)}"
        assert not isinstance(self.gap, str), "a gap that differs has a unit"
        return f"runs of events less than {in_words(self.gap)} apart"

    @property
    def column(self) -> str | None:
        """The column that says how long the gap behind each event is; None of a gap that is fixed."""
        return self.gap if isinstance(self.gap, str) else None

    @property
    def cutting_types(self) -> tuple[str, ...]:
        return ("int64",)

    @property
    def gap_us(self) -> int:
        """Microseconds, of a gap that is fixed."""
        assert not isinstance(self.gap, str), "each event has a gap of its own"
        return self.gap // MICROSECOND

    @property
    def unit_us(self) -> int:
        """Microseconds of 1 in the column."""
        assert self.unit is not None, "a gap that is fixed has no unit"
        return self.unit // MICROSECOND


def _is_above_zero(value: object, most: timedelta = timedelta.max) -> bool:
    return isinstance(value, timedelta) and timedelta(0) < value <= most
