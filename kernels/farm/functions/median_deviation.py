"""Anomalies of a column by distance from its median, in units of the median absolute deviation (MAD).

    score = 0.6745 · (value − median) / MAD        MAD: median of |value − median|

The modified z-score of Iglewicz & Hoaglin, How to Detect and Handle Outliers (1993): up to half of the values may be
wrong and don't move it; 0.6745 makes it a z-score where values are normal, and they take 3.5 as threshold.

Outputs: median, mad; anomalies: tuples whose score is beyond ± the threshold; greatest_score: of the tuple that
deviates most, the first of several, with its sign; newest_score: of the last tuple. An infinite value has an infinite
score. Statuses: fewer than `least` tuples; singular where MAD is 0, as where more than half of the values are equal:
median and mad are written, the others are null; not finite, where median or MAD are beyond a float.
"""

from math import isfinite, nan

from windrow.kernels.farm.content import NOT_FINITE, OK, SINGULAR, TOO_FEW, Result, WindowContent, gather
from windrow.kernels.farm.functions._function import HeavyFunction
from windrow.kernels.farm.functions._sorting import gather_sorted
from windrow.kernels.monoid import Parameter
from windrow.kernels.runtime.memory import inner

THRESHOLD, LEAST = range(2)
OUTPUTS = ("median", "mad", "anomalies", "greatest_score", "newest_score")
MEDIAN, MAD, ANOMALIES, GREATEST_SCORE, NEWEST_SCORE = range(5)
OF_NORMAL_VALUES = 0.6745
"""MAD of normal values in units of their standard deviation, as Iglewicz & Hoaglin round it."""


def compute(content: WindowContent, result: Result):
    """O(tuples · log tuples)."""
    if content.count < content.parameters[LEAST]:
        return TOO_FEW
    stopped = gather_sorted(content)
    if stopped != 0:
        return stopped
    count, values = content.count, content.scratch
    middle = count // 2
    median = values[middle] if count % 2 == 1 else halfway(values[middle - 1], values[middle])
    mad = median_deviation(values, count, median) if isfinite(median) else nan
    if not isfinite(mad):
        return NOT_FINITE
    result.values[MEDIAN], result.values[MAD] = median, mad
    if mad == 0.0:
        return SINGULAR
    write_scores(content, result)
    return OK


@inner
def halfway(low, high):
    """The mean of two values; their sum may be beyond the greatest float, their halves' sum isn't."""
    total = low + high
    return 0.5 * total if isfinite(total) else 0.5 * low + 0.5 * high


@inner
def median_deviation(values, count, median):
    """Of sorted values: walking outward from the middle meets them in order of their deviation. O(count)."""
    left, right = (count - 1) // 2, (count - 1) // 2 + 1
    before = deviation = 0.0
    for _ in range(count // 2 + 1):
        before = deviation
        take_left = right == count or (left >= 0 and median - values[left] <= values[right] - median)
        deviation = median - values[left] if take_left else values[right] - median
        left -= 1 if take_left else 0
        right += 0 if take_left else 1
    return deviation if count % 2 == 1 else halfway(before, deviation)


@inner
def write_scores(content, result):
    """One pass over the tuples in their order. O(tuples)."""
    threshold, anomalies, greatest, score = content.parameters[THRESHOLD], 0, 0.0, 0.0
    gather(content, 0, content.scratch)  # which had them sorted
    for i in range(content.count):
        score = OF_NORMAL_VALUES * (content.scratch[i] - result.values[MEDIAN]) / result.values[MAD]
        anomalies += 1 if abs(score) > threshold else 0
        greatest = score if abs(score) > abs(greatest) else greatest
    result.values[ANOMALIES], result.values[GREATEST_SCORE], result.values[NEWEST_SCORE] = anomalies, greatest, score


PARAMETERS = (Parameter("threshold", 3.5, 0.0, 1e6), Parameter("least", 3, 1, 1_000_000))
FUNCTION = HeavyFunction(("value",), lambda values: OUTPUTS, compute, lambda values: (2, 0), PARAMETERS)
