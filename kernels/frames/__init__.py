"""Kernels of frames, windows that the values or times of tuples open and close (FRAMES; sessions too). One file = one
kernel, found by looking; each defines `KERNEL`, the class of its object. Names that start with an underscore are
shared; what cuts each kind of frame stands in rules/."""

import functools
import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kernels.given import require_known
from kernels.runtime.found import names_in
from schemas.errors import NotServed, WrongParameter
from schemas.query import Aggregate
from schemas.windows import Window

if TYPE_CHECKING:  # as kernels/spans
    from kernels.frames._object import FrameWindow


def kernels() -> list[str]:
    """Names of the kernels in the folder, sorted."""
    return [name for name in names_in(__path__) if name != "rules"]


@functools.cache
def window_class(kernel: str) -> "type[FrameWindow]":
    """The class of a kernel's object. NotServed for an unknown one."""
    if kernel not in kernels():
        raise NotServed("kernel", kernel, kernels())
    return importlib.import_module(f"{__name__}.{kernel}").KERNEL


def make(kernel: str, frame: Window, aggregates: Mapping[str, Aggregate], **options) -> "FrameWindow":
    """The frames of one key: insert, insert_burst, frames, content, evict, save, load, check.

        hot = make("multi_buffer", ThresholdFrame("celsius", 80.0), {"most": agg("max", "celsius")})
        hot.insert(time_us, 85.5)
        hot.frames()  # [FoundFrame(start, end, is_open, {"most": 85.5})]

    frame: a window of schemas.windows whose kind has a file in rules/; aggregates, options: as of
    kernels.aggregators.make, and those of the kernel's class (`OPTIONS`). Raises NotServed for an unknown kernel, kind,
    function or aggregate, WrongParameter for a wrong frame, option or column.
    """
    require_known("kernel", kernel, kernels())
    made = window_class(kernel)
    if not isinstance(frame, Window):
        raise WrongParameter("frame", frame, "a frame such as schemas.windows.ThresholdFrame makes")
    made.require(kernel, aggregates, options)
    return made(frame, aggregates, **options)
