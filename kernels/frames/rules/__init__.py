"""Kinds of frames: what opens and closes them. One file = one kind, named as its window in schemas/windows, found by
looking; each defines `WINDOW`, the class of its window, and `rules_of`, which gives the FrameRules of one."""

import functools
import importlib
from collections.abc import Callable

from kernels.frames._rules import FrameRules
from kernels.runtime.found import names_in
from schemas.errors import NotServed


def kinds() -> list[str]:
    """Names of the kinds in the folder, sorted."""
    return names_in(__path__)


@functools.cache
def maker(kind: str) -> Callable[..., FrameRules]:
    """What makes the rules of a window of a kind, such as "frame.delta" or "session". NotServed for another."""
    for name in kinds():
        module = importlib.import_module(f"{__name__}.{name}")
        if kind == module.WINDOW.kind:
            return module.rules_of
    raise NotServed("frame", kind, kinds())
