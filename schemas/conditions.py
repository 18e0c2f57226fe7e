"""Which values a query's `where` may compare with columns of which type; with None everything may be compared."""

from datetime import date, datetime
from numbers import Real

from schemas.query import listed


def is_number(value: object) -> bool:
    """A real number; a bool is none, nor is NaN."""
    return isinstance(value, Real) and not isinstance(value, bool) and value == value


def is_text(value: object) -> bool:
    """A str."""
    return isinstance(value, str)


def is_day(value: object) -> bool:
    """A date; a datetime is none."""
    return isinstance(value, date) and not isinstance(value, datetime)


def is_instant(value: object) -> bool:
    """A datetime with a time zone."""
    return isinstance(value, datetime) and value.tzinfo is not None


_TAKEN = {
    "string": (is_text, "a str"),
    "int64": (is_number, "a number"),
    "float64": (is_number, "a number"),
    "bool": (lambda value: isinstance(value, bool), "True or False"),
    "timestamp": (is_instant, "a datetime with a time zone"),
    "date": (is_day, "a date"),
}


def comparable(type_: str, operator: str, value: object) -> bool:
    """Whether a column of one of the types of schemas.stream.Column can be compared so."""
    if operator in ("is_null", "not_null"):
        return True
    takes, _ = _TAKEN[type_]
    values = listed(value) if operator in ("in", "not_in") else [value]
    return all(each is None or takes(each) for each in values)


def allowed(type_: str) -> str:
    """In words: what such a column can be compared with."""
    return f"None or {_TAKEN[type_][1]}"
