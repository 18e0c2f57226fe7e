"""Objects over compiled structures: one call at a time, and only the one that was made.

A compiled call lets other threads run, as a pool's replays must. Two of them in one structure would move the same
nodes, and a copy of the object would name nodes that the other gives back: both ended the process. So calls of one
object take turns, and it isn't copied. A call that got no memory ended in its middle, after which the object only says
so.
"""

import functools
from _thread import RLock
from collections.abc import Callable
from typing import Any, TypeVar, cast

from schemas.errors import KernelOutOfMemory, WrongParameter

Method = TypeVar("Method", bound=Callable[..., Any])


class OneAtATime:
    """What such an object is; its public methods are decorated with `in_turn`."""

    _lost_in = ""
    """The method that got no memory."""

    def __init__(self) -> None:
        self._turns = RLock()

    def __reduce_ex__(self, protocol: object) -> Any:
        """For copy, deepcopy and pickle."""
        allowed = "used where it was made; make another, of the same events or of what save() gave"
        raise WrongParameter(type(self).__name__, "copied, or sent to another process", allowed)


def in_turn(method: Method) -> Method:
    """The method, behind those calls of other threads that came before."""

    @functools.wraps(method)
    def taken(self, *arguments, **named):
        with self._turns:
            if self._lost_in:
                raise _lost(self)
            try:
                return method(self, *arguments, **named)
            except KernelOutOfMemory:
                self._lost_in = method.__name__
                raise

    return cast(Method, taken)


def _lost(lost: OneAtATime) -> WrongParameter:
    value = f"lost: {lost._lost_in} got no memory, and ended in its middle"
    return WrongParameter(
        type(lost).__name__, value, "one that is whole; make another, with more memory or fewer events"
    )
