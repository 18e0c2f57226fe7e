"""What a replay may cost: what is beyond is refused before it starts, or ended."""

from kernels.replay.stop import INTERRUPTED, OVER_BUDGET, OVER_TIME
from kernels.replay.types import Limits
from kernels.runtime.memory import WORD_BYTES
from schemas.errors import TooManyRows, TooManySeconds, WrongParameter


def most_rows(limits: Limits, row_words: int) -> int:
    """The most rows that a replay may make."""
    most = limits.most_rows
    if most is None:
        return limits.most_bytes // (WORD_BYTES * row_words)
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise WrongParameter("most_rows", most, "a whole number of rows, at least 1")
    return most


def refuse_too_many(expected: int, most: int, row_words: int) -> None:
    """TooManyRows for what is known before the replay starts."""
    if expected > most:
        raise TooManyRows(expected, most, WORD_BYTES * row_words)


def raise_why_stopped(asked: int, most: int, row_words: int) -> None:
    """What ended the call, if anything did."""
    if asked == INTERRUPTED:  # in the main thread Python's own handler has mostly raised already
        raise KeyboardInterrupt("a signal ended the replay")
    if asked == OVER_TIME:
        raise TooManySeconds
    if asked == OVER_BUDGET:
        raise TooManyRows(most + 1, most, WORD_BYTES * row_words)
