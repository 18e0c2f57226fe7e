"""What a replay may cost, from the options of whoever asks for it: rows, and seconds."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Timer

import numpy as np

from kernels.replay import OVER_TIME, CallLimits
from schemas.errors import TooManySeconds
from schemas.replay_limits import require_rows, require_seconds

NAMES = ("most_rows", "most_seconds")
SHARE_OF_MEMORY = 4
"""Rows may take so large a part of the machine's memory: they stand there up to three times, then as a table."""


@contextmanager
def limits_of(options: Mapping[str, int | float | None]) -> Iterator[CallLimits]:
    """The limits among some options, by default rows that fit this machine; the clock runs from now on."""
    stop = np.zeros(1, np.int64)
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    most = options.get("most_rows")
    most_rows = None if most is None else require_rows("most_rows", most)
    limits = CallLimits(most_rows, memory_bytes // SHARE_OF_MEMORY, stop)
    with _timer(options.get("most_seconds"), stop):
        yield limits


@contextmanager
def _timer(seconds: object, stop: np.ndarray) -> Iterator[None]:
    if seconds is None:
        yield
        return
    most = require_seconds("most_seconds", seconds)
    timer = Timer(most, stop.__setitem__, (0, OVER_TIME))
    timer.daemon = True
    timer.start()
    try:
        yield
    except TooManySeconds:  # from a kernel, which knows no clock
        raise TooManySeconds(most) from None
    finally:
        timer.cancel()
