"""SE-ML-Slicing (SPANS §4 and §5.2.2): slices of several levels, so that a long event goes into few of them.

    height 3, an event of seven slices      1 2 3 4 5 6 7 8      level 3 of slice 8, of slice 5, level 1 of slice 2
                                              │ └───┘ └───┘

Level k of a slice covers the slice and the k − 1 slices before it. With height 1 this is SE-Slicing; every height has
the same code (se_slicing.py). A greater height makes insertions cheaper and windows dearer, since a window asks each
level of its slices.
"""

from collections.abc import Mapping

from windrow.kernels.spans.se_slicing import SESlicing
from windrow.schemas.errors import WrongParameter

HEIGHT = 4
MOST_HEIGHT = 1 << 10


class SEMLSlicing(SESlicing):
    """With height d: insert_span O(slices that the event meets / d), and O(d) more for each slice that was empty; state
    O(d · (slices of the window + d)), evict O(slices).

    Memory: 2 · d states for each slice that has events, in pages of 32.
    """

    OPTIONS = PANE_OPTIONS = ("height",)

    @classmethod
    def pane_option(cls, options: Mapping[str, int]) -> int:
        """The height. WrongParameter for one beyond the limits."""
        height = options.get("height", HEIGHT)
        if not isinstance(height, int) or isinstance(height, bool) or not 1 <= height <= MOST_HEIGHT:
            raise WrongParameter("height", height, f"an integer from 1 to {MOST_HEIGHT}")
        return height


KERNEL = SEMLSlicing
