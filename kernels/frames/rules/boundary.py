"""Boundary frames (FRAMES): consecutive values between the same two multiples of a width.

value    5  7  11  12  4        width 10        frames   5 7   11 12   4
"""

from math import floor

from kernels.frames._rules import NOTHING, Frame, FrameRules, made_rules
from kernels.runtime.fields import Float
from kernels.runtime.memory import as_float, inner
from schemas.windows import BoundaryFrame


class BoundaryRules(FrameRules):
    width: Float("value")
    offset: Float("value")


@inner
def _multiple(rules, value):
    """Of the width, below a value; infinite values stay as they are."""
    quotient = (value - rules.offset) / rules.width
    return float(floor(quotient)) if abs(quotient) < 2.0**52 else quotient


def closes(rules: BoundaryRules, frame: Frame, time, value):
    return 1 if _multiple(rules, as_float(value)) != frame.opening else 0


def note_opening(rules: BoundaryRules, frame: Frame, value):
    frame.opening = _multiple(rules, as_float(value))


def rules_of(window: BoundaryFrame, **columns) -> FrameRules:
    given = {"depends_on": NOTHING, "width": window.width, "offset": window.offset}
    predicates = {"closes": closes, "note_opening": note_opening}
    return made_rules(BoundaryRules, "boundary", predicates, **given, **columns)


WINDOW = BoundaryFrame
