"""What a command prints: tables for people, JSON for tools. Results go to stdout, all else to stderr."""

import json
import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from windrow.pipelines.report.words import without_controls

# A pipe or a log has no width of its own: 80 columns would cut most tables into ribbons.
_PIPE_WIDTH = 240
_WIDEST = 10_000


def show(rows: list[dict], as_json: bool, columns: list[str] | None = None) -> None:
    """Print rows as a table, or each as a record where a terminal is too narrow; or as a JSON array of objects."""
    if as_json:
        show_json(rows)
        return
    console, names = _console(), columns or list(rows[0] if rows else ())
    table = _table(rows, names)
    # What the table takes where no word of it is cut.
    least_width = Measurement.get(console, console.options.update_width(_WIDEST), table).minimum
    if console.is_terminal and least_width > console.width:
        for number, row in enumerate(rows, 1):
            console.rule(f"row {number:,}", align="left")
            console.print(_facts({name: row[name] for name in names}))
    elif names:
        console.print(table)


def _table(rows: list[dict], names: list[str]) -> Table:
    table = Table(show_edge=False, header_style="bold")
    for name in names:
        table.add_column(_printable(name), overflow="fold", justify="right" if _numeric(rows, name) else "left")
    for row in rows:
        table.add_row(*(_text(row[name]) for name in names))
    return table


def show_facts(facts: dict, as_json: bool) -> None:
    """Print names and values, or a JSON object."""
    if as_json:
        show_json(facts)
        return
    _console().print(_facts({name.replace("_", " "): value for name, value in facts.items()}))


def _facts(facts: dict) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value in facts.items():
        table.add_row(_printable(name), _text(value))
    return table


def show_json(value: object) -> None:
    """One JSON document on stdout. Times are ISO 8601 in UTC; what JSON has no number for is a string."""
    print(json.dumps(_finite(value), default=_plain, ensure_ascii=False, allow_nan=False))


def write_asset_events(path: Path | None, asset_events: dict[str, dict]) -> None:
    """Write by table what is new of it, for the user who started the command."""
    if path is not None:
        path.write_text(json.dumps(asset_events, default=_plain))


def heading(text: str) -> None:
    """What the next table shows."""
    console = _console()
    console.print(_printable(text), style="bold", soft_wrap=True)


def note(text: str) -> None:
    """A remark for people, on stderr."""
    Console(stderr=True, highlight=False, soft_wrap=True, markup=False).print(without_controls(text))


def warn(text: str) -> None:
    """What the user should look at, on stderr; Airflow's log gives such a line a level of its own."""
    note(f"warning: {text}")


def _console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PIPE_WIDTH)


def _numeric(rows: list[dict], name: str) -> bool:
    values = [row[name] for row in rows if row[name] is not None]
    return bool(values) and all(isinstance(value, (int, float, Decimal)) for value in values)


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, datetime) and value.tzinfo is not None:
        return _utc(value).replace("T", " ")
    if isinstance(value, tuple):
        value = "; ".join(map(str, value))
    if isinstance(value, (dict, list)):
        value = json.dumps(_finite(value), default=_plain, ensure_ascii=False)
    return _printable(str(value))


def _printable(text: str) -> str:
    return escape(without_controls(text))  # Rich would read [...] in a value as mark-up


def _utc(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return _utc(value) if value.tzinfo else value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value)


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(name): _finite(inner) for name, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, (list, tuple)) else value
