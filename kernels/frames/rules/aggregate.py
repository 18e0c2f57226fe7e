"""Aggregate frames (FRAMES): they grow while an aggregate of them, without the new tuple, is below a bound.

value    1  1  2  3  1        sum, bound 3        frames   1 1 2   3   1        the tuple that reaches it is the last
"""

from kernels.frames._ordered import ENTRY_WORDS
from kernels.frames._rules import ALL, Frame, FrameRules, made_rules
from kernels.states import lower, number_of
from kernels.states.layout import GrowingRows
from kernels.states.state_plan import Plan
from schemas.windows import AggregateFrame


def closes(rules: FrameRules, frame: Frame, time, value):
    """One that has no answer yet, such as a deviation of one value, isn't there."""
    word, is_null, failed = lower(rules.plan, frame.grown, 0)
    if failed:
        rules.has_failed = True
    if failed or is_null:
        return 0
    return 1 if number_of(rules.growing, word) >= rules.bound else 0


def rules_of(window: AggregateFrame, plan: Plan, **columns) -> FrameRules:
    """plan: of its one aggregate, without a count of events."""
    gives_float = plan.output_types[0] == "float64"
    growing = GrowingRows.make(gives_float=gives_float, stride=ENTRY_WORDS)
    given = {"bound": window.bound, "plan": plan.layout, "growing": growing}
    return made_rules(FrameRules, "aggregate", {"closes": closes}, depends_on=ALL, **given, **columns)


WINDOW = AggregateFrame
