"""The root of all window kinds, and what their parameters must be."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar, TypeGuard, get_type_hints
from zoneinfo import ZoneInfo

from schemas.errors import WrongParameter

DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Window:
    """The root of all window kinds; what stages know of a kind without asking its kernels. A parameter must be what the
    annotation of its field says.

    kind: the name used in errors and docs, and of its file in kernels/kinds and pipelines/gate/recount/kinds
    context_free: whether a day's windows follow from a look-back alone (semantics §2); other kinds carry state from
        day to day, so that their days can't run in any order
    """

    kind: ClassVar[str] = ""
    context_free: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for parameter, hint in get_type_hints(type(self), include_extras=True).items():
            for check in getattr(hint, "__metadata__", ()):
                check(parameter, getattr(self, parameter))

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


def require(holds: bool, parameter: str, value: object, allowed: str) -> None:
    """Raise WrongParameter unless `holds`."""
    if not holds:
        raise WrongParameter(parameter, value, allowed)


def require_positive(parameter: str, value: object) -> None:
    """A timedelta above zero."""
    require(isinstance(value, timedelta) and value > timedelta(0), parameter, value, "a timedelta above zero")


def require_duration(parameter: str, value: object) -> None:
    """A timedelta of zero or more."""
    require(isinstance(value, timedelta) and value >= timedelta(0), parameter, value, "a timedelta of zero or more")


def require_number(parameter: str, value: object) -> None:
    """A number that a float64 can hold."""
    require(_is_number(value), parameter, value, "a finite number")


def require_above_zero(parameter: str, value: object) -> None:
    """Such a number above zero."""
    require(_is_number(value) and value > 0, parameter, value, "a finite number above zero")


def _is_number(value: object) -> TypeGuard[float]:
    # Compared and not converted: an int may be beyond all floats.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def require_column(parameter: str, value: object) -> None:
    """The name of a column; which columns there are, the stream knows."""
    require(isinstance(value, str) and value != "", parameter, value, "the name of a column")


def require_count(parameter: str, value: object) -> None:
    """A whole number of at least one."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    require(is_count, parameter, value, "a whole number of at least 1")


def one_of(*words: str) -> Callable[[str, object], None]:
    """A check for one of these words."""
    return lambda parameter, value: require(value in words, parameter, value, " or ".join(map(repr, words)))


def require_zone(parameter: str, zone: str) -> None:
    """A name of the time zone database."""
    try:
        ZoneInfo(zone)
    except Exception as unknown:
        allowed = "a name of the IANA time zone database, such as America/New_York"
        raise WrongParameter(parameter, zone, allowed) from unknown


Length = Annotated[timedelta, require_positive]
Duration = Annotated[timedelta, require_duration]
Number = Annotated[float, require_number]
AboveZero = Annotated[float, require_above_zero]
ColumnName = Annotated[str, require_column]
WholeCount = Annotated[int, require_count]
Zone = Annotated[str, require_zone]
