"""Objects over compiled structures: one call at a time, and only the one that was made.

A compiled call lets other threads run, as a pool's replays must. Two of them in one structure would move the same
nodes, and a copy of the object would name nodes that the other gives back: both ended the process. So calls of one
object take turns, and it isn't copied. A call that got no memory ended in its middle, after which the object only says
so; likewise in a forked process, which has no thread that would end a call of the one it was forked from.
"""

import functools
import os
from _thread import RLock
from collections.abc import Callable
from typing import Any, TypeVar, cast
from weakref import WeakSet

from windrow.schemas.errors import KernelOutOfMemory, WrongParameter

Method = TypeVar("Method", bound=Callable[..., Any])
_objects: "WeakSet[OneAtATime]" = WeakSet()


class OneAtATime:
    """What such an object is; its public methods are decorated with `in_turn`."""

    _lost = ""
    """Why a call ended in its middle, where one did."""

    def __init__(self) -> None:
        self._turns = RLock()
        _objects.add(self)

    def __reduce_ex__(self, protocol: object) -> Any:
        """For copy, deepcopy and pickle."""
        allowed = "used where it was made; make another, of the same events or of what save() gave"
        raise WrongParameter(type(self).__name__, "copied, or sent to another process", allowed)


def in_turn(method: Method) -> Method:
    """The method, behind those calls of other threads that came before."""

    @functools.wraps(method)
    def taken(self, *arguments, **named):
        with self._turns:
            if self._lost:
                allowed = "one that is whole; make another, with more memory or fewer events"
                raise WrongParameter(type(self).__name__, f"lost: {self._lost}", allowed)
            try:
                return method(self, *arguments, **named)
            except KernelOutOfMemory:
                self._lost = f"{method.__name__} got no memory, and ended in its middle"
                raise

    return cast(Method, taken)


def _lose_those_in_calls() -> None:
    """In a forked process: no thread gives back the turns that other threads had."""
    for each in list(_objects):
        if each._turns.acquire(blocking=False):
            each._turns.release()
        else:
            each._turns, each._lost = RLock(), "the process was forked while a thread was in a call of it"


os.register_at_fork(after_in_child=_lose_those_in_calls)
