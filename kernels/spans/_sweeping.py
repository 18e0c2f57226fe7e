"""What both kinds of sweeping share: indexes that are finger trees."""

from collections.abc import Mapping

from kernels.aggregators import finger_tree
from kernels.spans._window import SpanWindow

MIN_ARITY = 4


class SweepingWindow(SpanWindow):
    """Of kernels that sweep."""

    @classmethod
    def pane_option(cls, options: Mapping[str, int]) -> int:
        """Where the operations of its indexes stand."""
        return finger_tree.KERNEL.dispatch().address

    def _pieces(self, low: int, high: int) -> int:
        """An event is put into an index, however long it is."""
        return 1
