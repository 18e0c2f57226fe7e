"""The root of all window kinds, and what their parameters must be."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Annotated, Any, ClassVar, get_type_hints
from zoneinfo import ZoneInfo

from windrow.schemas.errors import WrongParameter
from windrow.schemas.spelling import in_words

DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Check = Callable[[str, Any], None]
"""WrongParameter, by the parameter's name, for a value that isn't allowed."""
_hints: Callable[[type], Mapping[str, Any]] = cache(partial(get_type_hints, include_extras=True))


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
        for parameter, hint in _hints(type(self)).items():
            for check in getattr(hint, "__metadata__", ()):
                check(parameter, getattr(self, parameter))

    @property
    def in_words(self) -> str:
        """What its windows are, for people: "days that slide by 5 minutes". Of a kind that says nothing, what it was
        given."""
        return f"{self.kind}: {self.given_in_words}"

    @property
    def given_in_words(self) -> str:
        """Its parameters: "size 1 day, slide 5 minutes"."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        shown = {name: in_words(value) if isinstance(value, timedelta) else value for name, value in given.items()}
        return ", ".join(f"{name} {value}" for name, value in shown.items())

    @property
    def longest_event_us(self) -> int | None:
        """Longer events are in no window; None where any length will do."""
        return None

    @property
    def cutting_columns(self) -> tuple[str, ...]:
        """The columns whose values say where windows begin and end; of most kinds there are none."""
        column = getattr(self, "column", None)
        read = [each for aggregate in self.reads.values() for each in aggregate.read_columns]
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
        """Modules of the user's that say where windows begin and end."""
        return ()

    @property
    def counts_shares(self) -> bool:
        """Whether a window counts an event by the time that it spends in it."""
        return False


def one_length(length: timedelta) -> str:
    """As it stands behind an article: "hour", "15 minutes"."""
    return in_words(length).removeprefix("1 ")


def many_lengths(length: timedelta) -> str:
    """Windows of that length: "hours", "windows of 15 minutes"."""
    text = one_length(length)
    return f"{text}s" if text.isalpha() else f"windows of {text}"


def require_cutting_type(window: Window, column: str, kind: str) -> None:
    """WrongParameter for a column of values, as kernels call these, by which the window can't be cut."""
    allowed = " or ".join(window.cutting_types)
    require(kind in window.cutting_types, f"type of column {column}", kind, f"{allowed}, since it cuts windows")


def require(holds: bool, parameter: str, value: object, allowed: str) -> None:
    """Raise WrongParameter unless `holds`."""
    if not holds:
        raise WrongParameter(parameter, value, allowed)


def must(holds: Callable[[Any], bool], allowed: str) -> Check:
    """A check for values of which that holds; allowed: which these are, in words."""
    return lambda parameter, value: require(holds(value), parameter, value, allowed)


def one_of(*words: str) -> Check:
    """A check for one of these words."""
    return must(lambda value: value in words, " or ".join(map(repr, words)))


def is_name(value: object) -> bool:
    """A text that isn't empty."""
    return isinstance(value, str) and value != ""


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    # Compared and not converted: an int may be beyond all floats.
    return (isinstance(value, float) or _is_whole(value)) and abs(value) <= sys.float_info.max


def _is_length(value: Any) -> bool:
    return isinstance(value, timedelta) and value > timedelta(0)


require_duration = must(
    lambda value: isinstance(value, timedelta) and value >= timedelta(0), "a timedelta of zero or more"
)
require_number = must(_is_number, "a finite number")
require_column = must(is_name, "the name of a column")  # which columns there are, the stream knows


def require_zone(parameter: str, zone: str) -> None:
    """A name of the time zone database."""
    try:
        ZoneInfo(zone)
    except Exception as unknown:
        allowed = "a name of the IANA time zone database, such as America/New_York"
        raise WrongParameter(parameter, zone, allowed) from unknown


Length = Annotated[timedelta, must(_is_length, "a timedelta above zero")]
Duration = Annotated[timedelta, require_duration]
Number = Annotated[float, require_number]
AboveZero = Annotated[float, must(lambda value: _is_number(value) and value > 0, "a finite number above zero")]
Function = Annotated[str, must(is_name, "the name of an aggregate, such as sum")]  # which there are, kernels know
ColumnName = Annotated[str, require_column]
WholeCount = Annotated[int, must(lambda value: _is_whole(value) and value >= 1, "a whole number of at least 1")]
Zone = Annotated[str, require_zone]
