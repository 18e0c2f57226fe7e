"""What a replay may cost, from the options of whoever asks for it: rows, and seconds."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Timer

import numpy as np

from kernels.replay import OVER_TIME, Limits
from pipelines.config import MOST_ROWS, MOST_SECONDS
from schemas.errors import TooManySeconds, WrongParameter

NAMES = ("most_rows", "most_seconds")
SHARE_OF_MEMORY = 4
"""Rows may take so large a part of the machine's memory: they stand there up to three times, then as a table."""


@contextmanager
def limits_of(options: Mapping[str, int | float | None]) -> Iterator[Limits]:
    """The limits among some options, by default rows that fit this machine; the clock runs from now on."""
    stop = np.zeros(1, np.int64)
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limits = Limits(_rows(options.get("most_rows")), memory_bytes // SHARE_OF_MEMORY, stop)
    with _timer(options.get("most_seconds"), stop):
        yield limits


def _rows(most: object) -> int | None:
    if most is None or isinstance(most, int) and not isinstance(most, bool) and 1 <= most <= MOST_ROWS:
        return most
    raise WrongParameter("most_rows", most, "a whole number of rows, from 1 to 2**60")


@contextmanager
def _timer(seconds: object, stop: np.ndarray) -> Iterator[None]:
    if seconds is None:
        yield
        return
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < seconds <= MOST_SECONDS:
        raise WrongParameter("most_seconds", seconds, f"a number of seconds, above 0 and up to {MOST_SECONDS:,}")
    timer = Timer(seconds, stop.__setitem__, (0, OVER_TIME))
    timer.daemon = True
    timer.start()
    try:
        yield
    except TooManySeconds:  # from a kernel, which knows no clock
        raise TooManySeconds(seconds) from None
    finally:
        timer.cancel()
