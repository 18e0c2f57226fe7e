"""Markdown: pages and tables."""

MADE = "<!-- Made by `make docs` from the definitions: change those, not this page. -->"


def page(parts: list[str]) -> str:
    """Paragraphs as a page."""
    return "\n\n".join(parts) + "\n"


def grid(rows: list[list[str]]) -> str:
    """A Markdown table; the first row is its head."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *body))
