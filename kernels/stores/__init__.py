"""Key-value stores for windows larger than memory (MTA §4.1.5): one file = one store, found by looking.

The only part of kernels/ that does input and output. A file defines `open_at(path, url)` and a class with four methods:

    read(keys) → the value of each key, None where there is none
    write(pages, removed): put all `pages` and remove all keys of the ranges `removed`, all of it or nothing
    sync(): what was written so far outlives a loss of power, as far as the store can promise
    close(): let go of it; a store that was made without a path is deleted

A key is (level, position); level HEADER stands for what is no node. A value is bytes. A store has one user at a time:
a second one is refused, or the first one's writes are from then on. Errors are StorageFailed, or NotSetUp
where something must be installed or started.
"""

import importlib
import struct
from collections.abc import Mapping, Sequence
from typing import Protocol

from windrow.kernels.runtime.found import names_in, require_known
from windrow.schemas.errors import WrongParameter

HEADER = 255
Key = tuple[int, int]
Range = tuple[int, int, int]
"""(level, first position, end)."""


class Store(Protocol):
    """The four methods; what each does stands above."""

    def read(self, keys: Sequence[Key]) -> list[bytes | None]: ...

    def write(self, pages: Mapping[Key, bytes], removed: Sequence[Range]) -> None: ...

    def sync(self) -> None: ...

    def close(self) -> None: ...


def packed(level: int, position: int) -> bytes:
    """A key, big-endian: the pages of a level lie next to each other where keys are in order."""
    return struct.pack(">BQ", level, position)


def stores() -> list[str]:
    """Names of the stores in the folder, sorted."""
    return names_in(__path__)


def open_store(store: str | None = None, path: str | None = None, url: str | None = None) -> Store | None:
    """The store of that name, None for None. NotServed for an unknown one, WrongParameter for what it can't use."""
    for name, value in (("path", path), ("url", url)):
        if store is None and value is not None:
            raise WrongParameter(name, value, "only together with store='lmdb' or store='redis'")
    if store is None:
        return None
    require_known("store", store, stores())
    return importlib.import_module(f"{__name__}.{store}").open_at(path, url)
