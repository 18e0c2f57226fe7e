"""Delta frames (FRAMES): opened by a value; they grow while values stay within a change of it.

value    5  6  8  7  1        change 3        frames   5 6   8 7   1        8 is 3 away from 5
"""

from kernels.frames._rules import OPENING_VALUE, Frame, FrameRules, made_rules
from kernels.runtime.fields import Float
from kernels.runtime.memory import as_float
from schemas.windows import DeltaFrame


class DeltaRules(FrameRules):
    change: Float("value")


def closes(rules: DeltaRules, frame: Frame, time, value):
    return 1 if abs(as_float(value) - frame.opening) >= rules.change else 0


def rules_of(window: DeltaFrame, **columns) -> FrameRules:
    given = {"depends_on": OPENING_VALUE, "change": window.change}
    return made_rules(DeltaRules, "delta", {"closes": closes}, **given, **columns)


WINDOW = DeltaFrame
