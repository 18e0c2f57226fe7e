"""Ranges of a column's values: which rows of some files a task reads. Panes: stretches of time, each a task's."""

from typing import NamedTuple, cast

import pyarrow as pa
import pyarrow.compute as pc


class Range(NamedTuple):
    """Values from `low` on, or behind it where that is left out, up to before `high`; None: no bound on that side.
    `nulls`: whether rows without a value are in it. `only`: one value, and no bounds; `only_nulls`: no value."""

    low: object = None
    high: object = None
    without_low: bool = False
    nulls: bool = True
    only: object = None
    only_nulls: bool = False

    def widened(self, before: int, after: int) -> "Range":
        """Of numbers: from so much earlier to so much later."""
        low, high = self.bounds
        return Range(None if low is None else low - before, None if high is None else high + after)

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """Of numbers."""
        return cast(int | None, self.low), cast(int | None, self.high)

    @property
    def is_of_one(self) -> bool:
        """Whether all its rows have the same value, or none."""
        return self.only_nulls or self.only is not None

    @property
    def is_everything(self) -> bool:
        """Whether it leaves out nothing."""
        return self == EVERYTHING


EVERYTHING = Range()


class Panes(NamedTuple):
    """As many stretches of `start` as asked for, of one length, from `from_us` on, in µs; the first and the last are
    open. Halo: how long before and after its pane a row still belongs to it.

          ◂── pane 0 ──▸│◂── 1 ──▸│◂── 2 ──▸
                    ▒▒▒▒│         │▒▒            the halo of pane 1
    """

    from_us: int = 0
    length_us: int = 1
    total: int = 1
    halo_us: tuple[int, int] = (0, 0)

    def pane(self, number: int) -> Range:
        """Without halo."""
        low, high = self.from_us + number * self.length_us, self.from_us + (number + 1) * self.length_us
        return Range(low if number else None, high if number + 1 < self.total else None)


def filter_of(column: str, type_: pa.DataType, wanted: Range) -> pc.Expression:
    """Whether a row's value is in the range."""
    field = pc.field(column)
    if wanted.only_nulls:
        return field.is_null()
    if wanted.only is not None:
        return field == pa.scalar(wanted.only, type_)
    inside = field.is_valid()
    if wanted.low is not None:
        low = pa.scalar(wanted.low, type_)
        inside &= field > low if wanted.without_low else field >= low
    if wanted.high is not None:
        inside &= field < pa.scalar(wanted.high, type_)
    return inside | field.is_null() if wanted.nulls else inside
