"""Tables of the pages that measurements write."""


def table(rows: list[dict]) -> str:
    """Rows as Markdown: whole numbers with their thousands apart, others with one decimal; what a row lacks is 0."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    rule = ["---" if isinstance(rows[0].get(name), str) else "--:" for name in names]
    lines = [names, rule, *([_cell(row.get(name, 0)) for name in names] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"
