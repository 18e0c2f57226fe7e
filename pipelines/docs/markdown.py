"""Markdown: pages by their templates, and tables, of columns too."""

from collections.abc import Iterable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from windrow.pipelines import config
from windrow.schemas.project import CHECKOUT, root
from windrow.schemas.stream import Column

# Of a checkout also those of Windrow's own pages.
TEMPLATES = [Path(__file__).parent / "templates", config.REPOSITORY / "tools" / "docs" / "templates"]
MADE = "<!-- Made from the definitions: change those, not this page. -->"


def page(template: str, **values: object) -> str:
    """A page: the words of its template, with what the definitions say. UndefinedError where a value is missing."""
    made = Environment(loader=FileSystemLoader(TEMPLATES), keep_trailing_newline=True, undefined=StrictUndefined)
    made.filters["grid"] = grid
    return made.get_template(f"{template}.md.j2").render(made=MADE, in_a_checkout=root() == CHECKOUT, **values)


def joined(parts: Iterable[str]) -> str:
    """Paragraphs one behind the other, without empty ones."""
    return "\n\n".join(part for part in parts if part)


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


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
