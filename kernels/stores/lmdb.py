"""The embedded store: LMDB, a B-tree in one file, mapped into memory.

Its pages are the operating system's cache, not this process's memory. Writes between two flushes aren't synced: a
process that is killed loses none of them, as the system has them already; only a loss of power could, so flush syncs.
"""

import fcntl
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from windrow.kernels.stores import Key, Range, packed
from windrow.schemas.errors import NotSetUp, StorageFailed, WrongParameter

try:
    import lmdb
except ImportError as missing:
    needed = "the package lmdb is not installed, which store='lmdb' needs"
    raise NotSetUp(needed, "pip install lmdb   # in a checkout: make setup") from missing

FIRST_BYTES = 1 << 28
"""Of address space, not of disk: the file grows with what is in it. Doubled whenever it is full."""


class LmdbStore:
    """One in a folder, which is locked for this process."""

    def __init__(self, folder: str | Path):
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(self._folder)
            self._database = lmdb.open(str(folder), map_size=FIRST_BYTES, sync=False, readahead=False, lock=False)
        except (OSError, lmdb.Error) as failure:
            raise StorageFailed(
                f"the store in {folder} can't be opened: {failure}; correct that, or choose another path"
            ) from failure

    def read(self, keys: Sequence[Key]) -> list[bytes | None]:
        with self._failing("read"), self._database.begin() as transaction:
            return [transaction.get(packed(*key)) for key in keys]

    def write(self, pages: Mapping[Key, bytes], removed: Sequence[Range]) -> None:
        with self._failing("written"):
            try:
                self._write(pages, removed)
            except lmdb.MapFullError:  # nothing is written
                self._database.set_mapsize(2 * self._database.info()["map_size"])
                self.write(pages, removed)

    def _write(self, pages: Mapping[Key, bytes], removed: Sequence[Range]) -> None:
        """In one transaction."""
        with self._database.begin(write=True) as transaction:
            for key, value in pages.items():
                transaction.put(packed(*key), value)
            for level, first, end in removed:
                for position in range(first, end):
                    transaction.delete(packed(level, position))

    def sync(self) -> None:
        with self._failing("synced"):
            self._database.sync(True)

    def close(self) -> None:
        self._database.close()
        self._lock.close()

    @contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        try:
            yield
        except lmdb.Error as failure:
            raise StorageFailed(
                f"the store in {self._folder} can't be {what}: {failure}; look for room on the disk, then open the "
                "window again: it is as of its last flush"
            ) from failure


def _lock(folder: Path):
    """A lock that goes with its process, however that ends."""
    lock = (folder / "in_use").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as failure:
        lock.close()
        raise StorageFailed(
            f"the store in {folder} is in use by another window; close that one, or choose another path"
        ) from failure
    return lock


def open_at(path: str | None, url: str | None) -> LmdbStore:
    """The store in a folder, by default a temporary one."""
    if url is not None:
        raise WrongParameter("url", url, "none with store='lmdb'; give the folder as path")
    if path is not None:
        return LmdbStore(path)
    folder = tempfile.TemporaryDirectory(prefix="windrow-window-")
    store = LmdbStore(folder.name)
    weakref.finalize(store, folder.cleanup)
    return store
