"""The two lite kernels as objects for one window: one option, whether values are kept."""

from kernels.aggregators._window import Window, ask
from schemas.errors import WrongParameter


class LiteWindow(Window):
    """keep_values: also keep what the kernel overwrites with aggregates, so that range_query answers any range."""

    OPTIONS = ("keep_values",)
    IN_ORDER_ONLY = True

    @classmethod
    def pane_option(cls, options):
        """Values are kept."""
        return 1

    @classmethod
    def _create(cls, plan: int, keep_values: bool = True) -> int:
        if type(keep_values) is not bool:
            raise WrongParameter("keep_values", keep_values, "True or False")
        return ask(cls.dispatch().create, plan, 1 if keep_values else 0, 0)
