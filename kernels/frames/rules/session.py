"""Sessions: runs of tuples, each less than a gap behind the one before. They have no value, unless a column says how
long each tuple keeps its session open: if none that came so far reaches a tuple's time, that begins the next.

time    1  3  4  9        gap 5            sessions   1 3 4   9
time    1  3  4  9        gaps 3 9 1 2     sessions   1 3 4 9: the second reaches 12, and none reaches further
"""

from kernels.frames._rules import NOTHING, REACH, Frame, FrameRules, made_rules, within
from kernels.runtime.fields import Microseconds
from kernels.runtime.memory import as_float
from schemas.windows import Session


class SessionRules(FrameRules):
    gap: Microseconds


class ReachRules(FrameRules):
    """unit: how long 1 in the column is."""

    unit: Microseconds


def closes(rules: SessionRules, frame: Frame, time, value):
    return 1 if time - frame.last >= rules.gap else 0


def closes_at_reach(rules: ReachRules, frame: Frame, time, value):
    return 1 if time >= frame.reach else 0


def note_reach(rules: ReachRules, frame: Frame, time, value):
    frame.reach = max(frame.reach, time + int(as_float(value)) * rules.unit)


def rules_of(window: Session, **columns) -> FrameRules:
    if window.column is None:
        given = {"depends_on": NOTHING, "gap": within("gap", window.gap_us)}
        return made_rules(SessionRules, "session", {"closes": closes}, **given, **columns)
    given = {"depends_on": REACH, "are_above_zero": 1, "unit": within("unit", window.unit_us)}
    predicates = {"closes": closes_at_reach, "note_taken": note_reach}
    return made_rules(ReachRules, "session_by_column", predicates, **given, **columns)


WINDOW = Session
