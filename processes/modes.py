"""Modes of what Windrow writes: events may be people's, so that nothing of it is for users outside the group."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

_NOT_FOR_OTHERS = 0o027


def keep_others_out() -> None:
    """From here on files get 0640 and folders 0750 at most, also those of child processes. A stricter umask stays."""
    os.umask(os.umask(_NOT_FOR_OTHERS) | _NOT_FOR_OTHERS)


def umask_digits() -> str:
    """The same for a program that has a umask of its own: three octal digits."""
    before = os.umask(_NOT_FOR_OTHERS)
    os.umask(before)
    return f"{before | _NOT_FOR_OTHERS:03o}"


@contextmanager
def others_kept_out() -> Iterator[None]:
    """Within, the same."""
    before = os.umask(_NOT_FOR_OTHERS)
    os.umask(before | _NOT_FOR_OTHERS)
    try:
        yield
    finally:
        os.umask(before)
