"""Sessions whose tuples say themselves for how long they keep them open: as long as none that came so far reaches a
tuple's time, that begins the next.

time    1  3  4  9        gap  3 9 1 2        sessions   1 3 4 9: the second reaches 12, and none reaches further
"""

from functools import cache

from kernels.frames._rules import REACH, Frame, FrameRules, Predicates, compiled_predicates, made_rules, within
from kernels.runtime.fields import Microseconds
from kernels.runtime.memory import as_float
from schemas.windows import Session


class ReachRules(FrameRules):
    """unit: how long 1 in the column is."""

    unit: Microseconds


def closes(rules: ReachRules, frame: Frame, time, value):
    return 1 if time >= frame.reach else 0


def note_taken(rules: ReachRules, frame: Frame, time, value):
    frame.reach = max(frame.reach, time + int(as_float(value)) * rules.unit)


@cache
def predicates() -> Predicates:
    """Compiled or loaded when they are first asked for."""
    return compiled_predicates("session_by_column", closes, note_taken)


def rules_by_column(window: Session, **columns) -> FrameRules:
    """Of a window; columns: see kernels/frames/_rules.py."""
    given = {"are_above_zero": 1, "unit": within("unit", window.unit_us)}
    return made_rules(ReachRules, predicates(), depends_on=REACH, **given, **columns)
