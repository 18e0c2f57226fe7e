"""A window as a farm takes it."""

from typing import Any, NamedTuple

from kernels.farm.layout import Extents


class ServedWindow(NamedTuple):
    """extents: its operations; fields: of layout.Farm, `window` where its bounds are closed forms; greatest_chunk_us:
    the longest chunk that no such window cuts, or 0."""

    extents: Extents
    fields: dict[str, Any]
    greatest_chunk_us: int = 0
