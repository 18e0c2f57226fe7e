"""Which window is asked: of a query's key, by its start, and its end or name where one start has several."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines.delta.day_files import AskedValues
from windrow.pipelines.rows.arrays import ARROW_TYPES
from windrow.schemas import registry
from windrow.schemas.errors import UnknownName, WrongParameter
from windrow.schemas.query import Query
from windrow.schemas.windows import require

_TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class AskedWindow:
    """query: with all its windows; name: which of several; end: None of all windows with that start."""

    query: Query
    key: Mapping[str, Any]
    start: datetime
    end: datetime | None = None
    name: str | None = None

    @classmethod
    def of(cls, query: Query, key: Mapping[str, Any], window: str, name: str | None = None) -> "AskedWindow":
        """WrongParameter for a name, a window or a key that can't be asked, UnknownName for an unknown key column."""
        for column in key:
            if column not in query.key:
                raise UnknownName(f"key column of {query.name}", column, query.key)
        lacking = [column for column in query.key if column not in key]
        require(not lacking, "--key", ", ".join(key) or "nothing", f"also {', '.join(lacking)}=VALUE")
        start, slash, end = window.partition("/")
        times = (read_moment("--window", start), read_moment("--window", end) if slash else None)
        return cls(query, key, *times, _window_name(query, name))

    @property
    def part(self) -> Query:
        """The query of the one window."""
        return self.query.parts[self.name]

    @property
    def of_key(self) -> dict[str, AskedValues]:
        return asked_key(self.key)

    def in_words(self) -> str:
        """As --key takes it: a name alone is null."""
        return ", ".join(name if value is None else f"{name}={value}" for name, value in self.key.items())


def asked_key(key: Mapping[str, Any]) -> dict[str, AskedValues]:
    """By column, of rows and events of a key."""
    return {name: AskedValues(value, value, value is None) for name, value in key.items()}


def key_of(query: Query, texts: Sequence[str]) -> dict[str, Any]:
    """A key of texts NAME=VALUE; a NAME alone is null. WrongParameter for a value that isn't of the column's type."""
    stream, found = registry.stream(query.stream), {}
    for text in texts:
        name, is_given, value = text.partition("=")
        if name not in query.key:
            raise UnknownName(f"key column of {query.name}", name, query.key)
        require(name not in found, "--key", text, f"{name} once")
        found[name] = _of_type(text, stream.column(name).type, value) if is_given else None
    return found


def read_moment(parameter: str, text: str) -> datetime:
    """A time in UTC unless it has an offset, or a day's first moment. WrongParameter for another text."""
    try:
        found = datetime.fromisoformat(text.strip())
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise WrongParameter(parameter, text, "a time such as 2018-10-01T08:00, in UTC, or 2018-10-01") from None


def condition(bounds: Mapping[str, AskedValues], schema: pa.Schema) -> pc.Expression:
    """Whether a row's columns have the values that are asked for."""
    found = pc.scalar(True)
    for name, each in bounds.items():
        column, type_ = pc.field(name), schema.field(name).type
        if each.of_null:
            found &= column.is_null()
        if each.low is not None and each.low == each.high:
            found &= column == pa.scalar(each.low, type_)
            continue
        if each.low is not None:
            found &= column >= pa.scalar(each.low, type_)
        if each.high is not None:
            found &= column <= pa.scalar(each.high, type_)
    return found


def _window_name(query: Query, name: str | None) -> str | None:
    names = [each for each in query.parts if each is not None]
    if name is None and len(names) == 1:
        return names[0]
    allowed = f"one of {', '.join(names)}" if names else f"left out: {query.name} has one window"
    require(name in query.parts, "--window-name", name, allowed)
    return name


def _of_type(text: str, type_: str, value: str) -> Any:
    read: dict[str, Callable[[str], Any]] = {
        "int64": int,
        "float64": float,
        "bool": lambda each: _TRUTHS[each.lower()],
        "date": date.fromisoformat,
    }
    if type_ == "timestamp":
        return read_moment("--key", value)
    try:
        found = read.get(type_, str)(value)
        pa.scalar(found, ARROW_TYPES[type_])
    except (ValueError, KeyError, pa.ArrowException, OverflowError):
        raise WrongParameter("--key", text, f"a value of type {type_}") from None
    return found
