"""A window as a farm takes it."""

from typing import Any, NamedTuple

from kernels.bounds import LONGEST_US
from kernels.farm.layout import Extents
from schemas.errors import WrongParameter


class ServedWindow(NamedTuple):
    """extents: its operations; fields: of layout.Farm, `window` where its bounds are closed forms; greatest_chunk_us:
    the longest chunk that no such window cuts, or 0."""

    extents: Extents
    fields: dict[str, Any]
    greatest_chunk_us: int = 0


def require_tuples(parameter: str, count: int) -> None:
    """WrongParameter for so many tuples that places of them can't be added."""
    if count > LONGEST_US:
        raise WrongParameter(parameter, count, "from 1 to 2**60 tuples")
