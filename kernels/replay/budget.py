"""What a replay may cost: what is beyond is refused before it starts, or ended."""

from kernels.replay.stop import DAMAGED, GO_ON, INTERRUPTED, OVER_BUDGET, OVER_TIME
from kernels.replay.types import CallLimits
from kernels.runtime.memory import WORD_BYTES
from schemas.errors import BadInput, TooManyRows, TooManySeconds, WrongParameter
from schemas.replay_limits import require_rows


def most_rows(limits: CallLimits, row_words: int) -> int:
    """The most rows that a replay may make."""
    most = limits.most_rows
    if most is None:
        return limits.most_bytes // (WORD_BYTES * row_words)
    return require_rows("most_rows", most)


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
    if asked == DAMAGED:
        raise BadInput("the state of a key holds counts that lead beyond it; replay from the first day on")
    if asked != GO_ON:
        raise WrongParameter("stop", asked, f"{OVER_TIME} for over time, or {GO_ON}; the rows are not whole")
