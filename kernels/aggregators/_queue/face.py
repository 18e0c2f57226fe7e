"""The object face of the two lite kernels: one option, whether values are kept."""

from collections.abc import Callable

from kernels.aggregators._window import Window
from schemas.errors import WrongParameter


class LiteWindow(Window):
    """keep_values: also keep what the kernel overwrites with aggregates, so that range_query answers any range."""

    OPTIONS = ("keep_values",)
    _make: Callable  # (plan, keep_values) → address

    @classmethod
    def _create(cls, plan: int, keep_values: bool = True) -> int:
        if type(keep_values) is not bool:
            raise WrongParameter("keep_values", keep_values, "True or False")
        return cls._make(plan, keep_values)
