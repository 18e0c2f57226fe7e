"""What a farm may be made with, and what is refused."""

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from kernels.columns import LIMIT_US, require_whole
from kernels.farm.columns import NamedColumns
from kernels.farm.extents import ServedWindow
from kernels.farm.memory import Room
from schemas.errors import WrongParameter
from schemas.replay_limits import require_seconds
from schemas.windows import MICROSECOND

MOST_WORKERS, MOST_KEYS, MOST_RING, MOST_CHUNK = 1 << 10, 1 << 24, 1 << 24, 1 << 24
MOST_BYTES = 1 << 60
CHUNK_TUPLES = 1 << 10


class FarmOptions(NamedTuple):
    """parameters: of the function
    columns: names of the value columns, in the order in which they are given; those that the function needs unless
        given. It reads its own by name
    keys: how many there are, numbered from 0; each has windows of its own
    chunk: of the shared buffer: a number of tuples, or a timedelta that divides size and slide
    most_held_bytes: of buffers; where it is reached the emitter waits for windows to be computed. With active workers
        half of it is for tuples on their way to them, half for their own buffers
    ring: windows handed out and not collected, at most; a power of two
    seconds_a_window: how long a function may take; then the window's status is "over time". It is looked at by insert,
        take and whatever waits
    span_us: least and greatest event time; others are refused. Windows in a time zone need it
    """

    parameters: Mapping[str, object] = {}
    columns: tuple[str, ...] | None = None
    keys: int = 1
    chunk: timedelta | int = CHUNK_TUPLES
    most_held_bytes: int = 1 << 30
    ring: int = 1 << 12
    seconds_a_window: float = 60.0
    span_us: tuple[int, int] | None = None


def options_of(given: dict[str, object]) -> FarmOptions:
    """WrongParameter for an option that isn't there."""
    for name in given:
        if name not in FarmOptions._fields:
            raise WrongParameter("option of a farm", name, ", ".join(FarmOptions._fields), FarmOptions._fields)
    options = FarmOptions(**given)  # type: ignore[arg-type]
    require_seconds("seconds_a_window", options.seconds_a_window)
    require_whole("most_held_bytes", options.most_held_bytes, 1, MOST_BYTES)
    _require_span(options.span_us)
    return options


def room_of(workers: int | None, columns: NamedColumns, served: ServedWindow, options: FarmOptions) -> Room:
    """How much of everything; as many workers as this process may use cores unless given."""
    workers = workers_of(workers)
    require_whole("keys", options.keys, 1, MOST_KEYS)
    require_whole("ring", options.ring, 1, MOST_RING)
    if options.ring & (options.ring - 1):
        raise WrongParameter("ring", options.ring, "a power of two")
    chunk = _chunk(served.greatest_chunk_us, options.chunk)
    counts = (len(columns.names), columns.read)
    return Room(workers, options.keys, *counts, options.ring, options.most_held_bytes, *chunk)


def workers_of(workers: int | None) -> int:
    """As many as this process may use cores unless given."""
    found = len(os.sched_getaffinity(0)) if workers is None else workers
    require_whole("workers", found, 1, MOST_WORKERS)
    return found


def _require_span(span_us: object) -> None:
    pair = span_us if isinstance(span_us, tuple | list) and len(span_us) == 2 else (1, 0)
    are_whole = all(isinstance(each, int) for each in pair)
    if span_us is not None and not (are_whole and -LIMIT_US <= pair[0] <= pair[1] <= LIMIT_US):
        raise WrongParameter("span_us", span_us, "(least, greatest) event time in µs, within ±2**61")


def _chunk(greatest_us: int, chunk: timedelta | int) -> tuple[int, int]:
    """µs, or 0, and tuples of a chunk."""
    if not isinstance(chunk, timedelta):
        require_whole("chunk", chunk, 1, MOST_CHUNK)
        return 0, chunk
    chunk_us = chunk // MICROSECOND
    if chunk_us < 1 or greatest_us % chunk_us or greatest_us == 0:
        allowed = f"a divisor of {greatest_us} µs, or " if greatest_us else ""
        raise WrongParameter("chunk", chunk, f"{allowed}a number of tuples")
    return chunk_us, CHUNK_TUPLES
