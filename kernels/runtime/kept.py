"""Compiled functions on disk: in the folders that their sources name (cache.py), and nowhere else."""

import inspect
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from windrow.kernels.runtime.cache import is_as_seen
from windrow.kernels.runtime.numba_names import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator, rtsys

logger = logging.getLogger("windrow.kernels")
KERNELS = Path(__file__).resolve().parents[1]


def keep(dispatcher, folders: tuple[Path, ...], named: str = ""):
    """The compiled function, kept in the first of these folders; if it is in none of them yet it is compiled at its
    first call, which is logged where `named` names it."""
    kept, *others = (_Kept(dispatcher.py_func, folder) for folder in folders)
    kept.named, kept.others = named, others
    dispatcher._cache = kept
    return dispatcher


class _Locator(UserProvidedCacheLocator):
    """A place for compiled code in a folder of ours. If nothing can be written there, what is there can still be read:
    the folder may have been filled when an image was built."""

    def __init__(self, function, folder: Path):
        self._py_file = file = inspect.getfile(function)
        self._lineno = function.__code__.co_firstlineno
        self._is_ours = Path(file).resolve().is_relative_to(KERNELS)
        self._cache_path = str(folder / (self._place() if self._is_ours else self.get_suitable_cache_subpath(file)))
        try:
            self.ensure_cache_path()
        except OSError:
            logger.debug("%s can't be written to", folder)

    def _place(self) -> str:
        """The same wherever kernels/ lies: each session of a cluster unpacks it into another folder."""
        return "_".join(Path(self._py_file).resolve().parent.relative_to(KERNELS.parent).parts)

    def get_source_stamp(self):
        """Of files beyond kernels/, which the folder's name knows nothing of. In an archive there is no file."""
        return super().get_source_stamp() if os.path.exists(self._py_file) and not self._is_ours else ""


class _Impl(CompileResultCacheImpl):
    """Numba's, in a place that no setting of Numba's moves."""

    def __init__(self, function, folder: Path):
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Locator(function, folder)
        name = f"{Path(inspect.getfile(function)).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, sys.abiflags)


class _Kept(FunctionCache):
    """A function's compiled code on disk; `others` may have it too, where this process doesn't write."""

    named = ""
    others: Sequence["_Kept"] = ()

    def __init__(self, function, folder: Path):
        self._impl_class = partial(_Impl, folder=folder)
        super().__init__(function)

    def load_overload(self, signature, context):
        rtsys.initialize(context)  # what compiled code may call
        for kept in (self, *self.others):
            # OSError: no such folder, and none that can be made (save_overload logs why), or one that can't be read.
            with suppress(OSError):
                # Not super().load_overload: it first reads in all that a compiler needs, SciPy too, in 0.6 s.
                if (found := kept._load_overload(signature, context)) is not None:
                    return found
        if self.named:
            logger.warning("compiling %s, once: some seconds", self.named)
        return None

    def save_overload(self, signature, compiled) -> None:
        if not is_as_seen():
            logger.warning("%s is not kept: sources were edited while this process ran; start it again", self._name)
            return
        try:
            super().save_overload(signature, compiled)
        except OSError as error:
            logger.warning("%s is compiled by every process again: %s", self._name, error)
