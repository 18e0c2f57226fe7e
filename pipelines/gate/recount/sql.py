"""Small pieces of SQL: names, literals, conditions. A user's values enter a statement through these only."""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from windrow.schemas.windows import EPOCH, MICROSECOND

# Times are compared as integers; these two are before and after every time that a table can hold.
EVER_US, NEVER_US = -(1 << 62), 1 << 62
# A shell would read these inside the double quotes in which an error shows a query.
_UNSAFE = r'(["$`\\!])'


def name(identifier: str) -> str:
    """A quoted identifier."""
    return '"' + identifier.replace('"', '""') + '"'


def masked(value: str) -> str:
    """SQL: what stands for a personal value: the same text for the same value, from which none finds the value."""
    return f"'#' || left(sha256({value}::VARCHAR), 4)"


def literals(values: Iterable[object]) -> str:
    """What stands in the brackets of `IN`, also where there are none."""
    return ", ".join(map(literal, values)) or "NULL"


def literal(value: object) -> str:
    """A value as DuckDB reads it, free of characters that a shell would read inside double quotes."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, datetime):
        return f"TIMESTAMPTZ '{value.astimezone(UTC).isoformat(sep=' ')}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    runs = [run for run in re.split(_UNSAFE, str(value)) if run] or [""]
    parts = [f"chr({ord(run)})" if re.fullmatch(_UNSAFE, run) else "'" + run.replace("'", "''") + "'" for run in runs]
    return parts[0] if len(parts) == 1 else "(" + " || ".join(parts) + ")"


def same(columns: tuple[str, ...], left: str, right: str) -> str:
    """Equality of columns in which null equals null; of no columns, true."""
    return " AND ".join(f"{left}.{name(c)} IS NOT DISTINCT FROM {right}.{name(c)}" for c in columns) or "TRUE"


def microseconds(value: timedelta) -> int:
    return value // MICROSECOND


def day_of(us: str) -> str:
    """SQL: the UTC day of microseconds since the epoch."""
    return f"CAST(make_timestamp({us}) AS DATE)"


def begin_us(day: str) -> str:
    """SQL: the start of a UTC day, in microseconds since the epoch."""
    return f"epoch_us(CAST({day} AS TIMESTAMP))"


def at(us: int) -> str:
    """A literal timestamp from microseconds since the epoch."""
    return literal(EPOCH + timedelta(microseconds=us))
