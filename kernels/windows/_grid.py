"""The struct of windows that start every slide: what slices are cut by too."""

from kernels.runtime.fields import Count, Microseconds
from kernels.windows._window import Window


class Grid(Window):
    """Window i starts at origin + i·slide. slides: how many fit into the size; rest: of the size behind them."""

    slide: Microseconds
    origin: Microseconds
    slides: Count
    rest: Microseconds
