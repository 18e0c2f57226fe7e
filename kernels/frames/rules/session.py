"""Sessions: runs of tuples, each less than a gap behind the one before. They have no value, unless a column says how
long the gap behind each tuple is (_session_by_column.py).

time    1  3  4  9        gap 5        sessions   1 3 4   9
"""

from functools import cache

from kernels.frames._rules import NOTHING, Frame, FrameRules, Predicates, compiled_predicates, made_rules, within
from kernels.frames.rules._session_by_column import rules_by_column
from kernels.runtime.fields import Microseconds
from schemas.windows import Session


class SessionRules(FrameRules):
    """gap: as the window says."""

    gap: Microseconds


def closes(rules: SessionRules, frame: Frame, time, value):
    return 1 if time - frame.last >= rules.gap else 0


@cache
def predicates() -> Predicates:
    """Compiled or loaded when they are first asked for."""
    return compiled_predicates("session", closes)


def rules_of(window: Session, **columns) -> FrameRules:
    """Of a window; columns: see kernels/frames/_rules.py."""
    if window.column is not None:
        return rules_by_column(window, **columns)
    return made_rules(SessionRules, predicates(), depends_on=NOTHING, gap=within("gap", window.gap_us), **columns)


WINDOW = Session
