from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from pipelines.cli import _output
from pipelines.cli._options import AsJson, StreamName

if TYPE_CHECKING:
    from pipelines.ingest.profile import Spread

EXAMPLES = ("windrow profile bikes",)


def profile(stream: StreamName, as_json: AsJson = False) -> None:
    """Describe an ingested stream, by folder of its files: how much, how disordered, bursty, long and dirty."""
    from pipelines import config
    from pipelines.delta.lake import Lake
    from pipelines.ingest import profile as profiles
    from pipelines.tables.stream_tables import StreamTables
    from schemas import registry

    found = profiles.profile(Lake(config.load()), StreamTables.of(registry.stream(stream)))
    if as_json:
        _output.show_json([asdict(each) for each in found])
        return
    names = [field.name for field in fields(profiles.Profile) if field.name != "folder"]
    rows = [{"": _named(name), **{each.folder: _shown(name, getattr(each, name)) for each in found}} for name in names]
    _output.show(rows, as_json)
    if not found:
        _output.note(f"stream {stream} has no events and no refused records yet")


def _named(name: str) -> str:
    words = name.removesuffix("_s").replace("_", " ")
    return f"{words}: median / p99 / max" if name in ("d", "lag_s", "duration_s") else words


def _shown(name: str, value: "float | str | dict[str, int] | Spread | None") -> str:
    """A figure for people: shares in percent, seconds with a unit that fits."""
    if value is None or isinstance(value, str):
        return "-" if value is None else value
    if isinstance(value, dict):
        return ", ".join(f"{reason} {count:,}" for reason, count in value.items()) or "none"
    if not isinstance(value, int | float):
        show = _length if name.endswith("_s") else "{:,.0f}".format
        return " / ".join(map(show, (value.median, value.p99, value.maximum)))
    if name.endswith("_s"):
        return _length(value)
    return f"{value:,}" if isinstance(value, int) else f"{100 * value:.1f} %"


def _length(seconds: float) -> str:
    if seconds >= 2 * 86_400:
        return f"{seconds / 86_400:,.1f} d"
    if seconds >= 4 * 3_600:
        return f"{seconds / 3_600:.1f} h"
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.3g} s"
