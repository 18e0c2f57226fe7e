"""Whether a Parquet file is one: there, as long as its writer made it, readable."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from pipelines import storage
from pipelines.location import Location


@dataclass(frozen=True)
class DamagedFile:
    """A file of a table, or of its log, and what is wrong with it, such as `is missing`."""

    path: Location
    wrong: str


class _Unreadable(Exception):
    """A file that holds something else than it should."""


def wrong_with(path: Location, size_bytes: int | None, read_all: bool = False) -> str | None:
    """What is wrong with a Parquet file of so many bytes (None: of any number); None where nothing is.

    By default O(1), by its footer; `read_all`: O(bytes). OSError for a file that the user has no right to read.
    """
    try:
        found_bytes = storage.state(path).file_bytes
        if found_bytes == 0:
            return "is empty"
        if size_bytes not in (None, found_bytes):
            return f"has {found_bytes:,} bytes and should have {size_bytes:,}"
        with _damage_reported():
            _read(path, read_all)
    except FileNotFoundError:
        return "is missing"
    except _Unreadable as unreadable:
        return f"can't be read as Parquet: {unreadable}"
    return None


def _read(path: Location, read_all: bool) -> None:
    with storage.parquet(path) as file:
        if read_all:
            for _ in storage.batches(file):
                pass


@contextmanager
def _damage_reported() -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        # An error of the operating system has a number; of what Arrow found in the file, none.
        if getattr(error, "errno", None) is not None:
            raise
        raise _Unreadable(first_line(error)) from error


def first_line(error: BaseException) -> str:
    """Of an error's text: the rest of a library's is its own inside."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
