"""Markdown: pages and tables, of columns too."""

from schemas.stream import Column

MADE = "<!-- Made by `make docs` from the definitions: change those, not this page. -->"


def page(parts: list[str]) -> str:
    """Paragraphs as a page."""
    return "\n\n".join(parts) + "\n"


def grid(rows: list[list[str]]) -> str:
    """A Markdown table; the first row is its head."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *body))


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
