"""The columns of a table or stream."""

from schemas.stream import Column
from tools.docs.markdown import grid


def columns_grid(columns: tuple[Column, ...]) -> str:
    """A table of columns: type, unit, range and meaning."""
    rows = [_column(each) for each in columns]
    return grid([["column", "type", "unit", "range", "null", "meaning"], *rows])


def _column(column: Column) -> list[str]:
    null = "" if column.nullable else "never"
    return [f"`{column.name}`", column.type, column.unit or "", _range(column), null, column.meaning]


def _range(column: Column) -> str:
    if column.low is None:
        return "" if column.high is None else f"at most {column.high}"
    return f"at least {column.low}" if column.high is None else f"{column.low} to {column.high}"
