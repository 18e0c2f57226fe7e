"""The root of all window kinds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from schemas.windows._requirements import require


@dataclass(frozen=True)
class Window:
    """The root of all window kinds; what stages know of a kind without asking its kernels.

    kind: the name used in errors and docs, and of its file in kernels/windows and pipelines/gate/recount/kinds
    context_free: whether a day's windows follow from a look-back alone (semantics §2); other kinds carry state from
        day to day, so that their days can't run in any order
    """

    kind: ClassVar[str] = ""
    context_free: ClassVar[bool] = False

    @property
    def longest_event_us(self) -> int | None:
        """Longer events are in no window; None where any length will do."""
        return None

    @property
    def cutting_columns(self) -> tuple[str, ...]:
        """The columns whose values say where windows begin and end; of most kinds there are none."""
        column = getattr(self, "column", None)
        read = [each for aggregate in self.reads.values() for each in aggregate.columns]
        return (*(() if column is None else (column,)), *read)

    @property
    def cutting_types(self) -> tuple[str, ...]:
        """What such a column may hold, as kernels call it."""
        return ("int64", "float64")

    @property
    def reads(self) -> Mapping[str, Any]:
        """Aggregates by name that say where windows begin and end."""
        return {}

    @property
    def defined_in(self) -> tuple[str, ...]:
        """Files of the user's that say where windows begin and end, from the repository on."""
        return ()

    @property
    def counts_shares(self) -> bool:
        """Whether a window counts an event by the time that it spends in it."""
        return False


def require_cutting_type(window: Window, column: str, kind: str) -> None:
    """WrongParameter for a column of values, as kernels call these, by which the window can't be cut."""
    allowed = " or ".join(window.cutting_types)
    require(kind in window.cutting_types, f"type of column {column}", kind, f"{allowed}, since it cuts windows")
