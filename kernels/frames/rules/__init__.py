"""Kinds of frames: what opens and closes them. One file = one kind, named as its window in schemas/windows, found by
looking; each defines `RULES`, a function of the window and of where its values stand, that gives FrameRules."""

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
    name = kind.rpartition(".")[2]
    if name not in kinds():
        raise NotServed("frame", kind, kinds())
    return importlib.import_module(f"{__name__}.{name}").RULES
