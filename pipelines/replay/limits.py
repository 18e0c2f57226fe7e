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
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    rows, seconds = (options.get(name) for name in NAMES)
    most_rows = None if rows is None else require_rows("most_rows", rows)
    stop = np.zeros(1, np.int64)
    limits = CallLimits(most_rows, memory_bytes // SHARE_OF_MEMORY, stop)
    if seconds is None:
        yield limits
        return
    most = require_seconds("most_seconds", seconds)
    timer = Timer(most, stop.__setitem__, (0, OVER_TIME))
    timer.daemon = True
    timer.start()
    try:
        yield limits
    except TooManySeconds:  # from a kernel, which knows no clock
        raise TooManySeconds(most) from None
    finally:
        timer.cancel()
