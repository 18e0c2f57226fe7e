"""What objects over a structure share that stands behind a table of compiled functions: making it and giving it back,
its words, its check."""

import weakref
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from kernels.aggregators._answers import AggregateObject
from kernels.runtime.memory import address_of
from kernels.runtime.one_at_a_time import in_turn
from kernels.runtime.struct import Struct
from kernels.runtime.tables import by_name, compiled_table
from kernels.states.state_plan import Plan


class KernelObject(AggregateObject):
    """Of a module that is named as its kernel. The table has create, destroy and reset; save and load of kernels that
    are saved."""

    TABLE: type[Struct]
    OPERATIONS: tuple[Callable, ...]
    """Those of the table, by their names; of two with one name the latter."""
    CUT_BY: str
    """What it is made with, in errors."""
    _check: Callable[[int, Plan], None]
    """Raises AssertionError with a sentence for the first invariant that doesn't hold."""

    @classmethod
    def kernel_name(cls) -> str:
        """By which it is asked for."""
        return cls.__module__.rpartition(".")[2]

    @classmethod
    @cache
    def dispatch(cls) -> Any:
        """The table, compiled or loaded when it is first asked for."""
        return compiled_table(cls.TABLE, cls.kernel_name(), by_name(*cls.OPERATIONS))

    def _create(self, *options: int) -> None:
        kernel = self.dispatch()
        self._address = kernel.create(self._plan.address, *options)
        self._close = weakref.finalize(self, kernel.destroy, self._address)
        self._close.atexit = False  # a thread may still be at work in it

    def _saved(self) -> np.ndarray:
        words = np.zeros(self._ask("save", 0), np.int64)
        self._ask("save", address_of(words))
        return words

    def _load(self, words: np.ndarray, *options: int) -> bool:
        """Whether it has become what _saved gave; it is empty if not."""
        held = words.copy()
        self._ask("reset")
        if len(held) and self._ask("load", address_of(held), len(held), *options):
            return True
        self._ask("reset")
        return False

    def _other_words(self, what_now: str) -> str:
        """Why words aren't taken."""
        of = f"another kernel, {self.CUT_BY}, aggregates or options"
        return f"these words were saved by {of}, or they are damaged; make the same again{what_now}"

    @in_turn
    def check(self) -> None:
        """Raise AssertionError with a sentence for the first invariant that doesn't hold. O(all that it holds)."""
        self._check(self._address, self._plan)

    def _ask(self, operation: str, *words: int) -> int:
        return getattr(self.dispatch(), operation)(self._address, *words)
