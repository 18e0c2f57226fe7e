"""The root of all window kinds."""

from dataclasses import dataclass
from typing import ClassVar


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
    def counts_shares(self) -> bool:
        """Whether a window counts an event by the time that it spends in it."""
        return False
