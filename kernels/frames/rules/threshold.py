"""Threshold frames (FRAMES): a maximal run of tuples whose value is at least something.

value    5  7  2  8        at least 5        frames   5 7   8
"""

from kernels.frames._rules import NOTHING, Frame, FrameRules, made_rules, within
from kernels.runtime.fields import Count, Float, Microseconds
from kernels.runtime.memory import as_float
from schemas.windows import ThresholdFrame


class ThresholdRules(FrameRules):
    at_least: Float("value")
    min_count: Count
    min_duration: Microseconds


def closes(rules: ThresholdRules, frame: Frame, time, value):
    return 1 if as_float(value) < rules.at_least else 0


def opens(rules: ThresholdRules, value):
    return 1 if as_float(value) >= rules.at_least else 0


def is_one(rules: ThresholdRules, frame: Frame, tuples):
    return 1 if tuples >= rules.min_count and frame.last - frame.first >= rules.min_duration else 0


def rules_of(window: ThresholdFrame, **columns) -> FrameRules:
    given = {"depends_on": NOTHING, "at_least": window.at_least, "min_count": within("min_count", window.min_count)}
    given["min_duration"] = within("min_duration", window.min_duration_us)
    predicates = {"closes": closes, "opens": opens, "is_one": is_one}
    return made_rules(ThresholdRules, "threshold", predicates, **given, **columns)


WINDOW = ThresholdFrame
