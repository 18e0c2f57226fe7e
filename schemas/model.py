"""Models: what a heavy function says of the events of each window; a user writes one in `models/<name>.py`.

    Model(name="farm_telemetry_trend", stream="telemetry", key=("source", "metric"),
          window=sliding(timedelta(hours=1), timedelta(minutes=1)),
          function=heavy("polynomial_fit", "value", degree=2),
          lateness=timedelta(minutes=2), allowed_lateness=timedelta(hours=1))

A model is a query whose rows also have the function's outputs, and why there are none: it is replayed, checked and
published as any other. Functions are files of kernels/farm/functions/.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from windrow.schemas.query import EVENT_COLUMNS, Aggregate, Query
from windrow.schemas.replay_limits import require_seconds
from windrow.schemas.windows import require, require_column

PREFIX = "farm_"
"""A model's table is named by this and the model's file, so that no query's can be."""
MODEL_COLUMNS = ("tuples", "status")


@dataclass(frozen=True)
class HeavyCall:
    """A function over columns, with its parameters by name; made by `heavy`."""

    function: str
    columns: tuple[str, ...]
    parameters: tuple[tuple[str, object], ...] = ()

    def __post_init__(self) -> None:
        require(isinstance(self.function, str), "function", self.function, "the name of a function, as 'quantiles'")
        for column in self.columns:
            require_column("column", column)
        require(bool(self.columns), f"columns of {self.function}", self.columns, "at least one column")

    @property
    def named_parameters(self) -> Mapping[str, object]:
        """Parameters by name."""
        return dict(self.parameters)


def heavy(function: str, *columns: str, **parameters: object) -> HeavyCall:
    """The function of a model: `heavy("polynomial_fit", "value", degree=2)`."""
    return HeavyCall(function, columns, tuple(sorted(parameters.items())))


@dataclass(frozen=True, kw_only=True)
class Model(Query):
    """A query that also calls a heavy function on each window. The function gets the events that have a value in all
    of its columns. It must end within `seconds_a_window`; otherwise the row's status is "over time"."""

    aggregates: dict[str, Aggregate] = field(default_factory=dict)
    function: HeavyCall
    seconds_a_window: float = 60.0

    def __post_init__(self) -> None:
        require_seconds("seconds_a_window", self.seconds_a_window)
        require(isinstance(self.function, HeavyCall), "function", self.function, "heavy(function, *columns)")
        require(self.windows is None, "windows", self.windows, "None: a model has one window, by `window`")
        super().__post_init__()
        for name in (*self.key, *self.aggregates):
            require(name not in MODEL_COLUMNS, "name", name, f"one other than {', '.join(MODEL_COLUMNS)}")

    @property
    def file(self) -> str:
        """The name of its file."""
        return self.name.removeprefix(PREFIX)

    @property
    def read_columns(self) -> tuple[str, ...]:
        """With those of the function."""
        of_function = (column for column in self.function.columns if column not in EVENT_COLUMNS)
        return tuple(dict.fromkeys((*super().read_columns, *of_function)))
