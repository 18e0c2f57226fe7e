"""Exact quantiles of a column: the values at given shares of the sorted window, interpolated between neighbours.

As numpy.quantile's default, which is type 7 of Hyndman & Fan, The American Statistician 50 (1996): of n sorted values
the quantile of probability p is at place p · (n − 1), on the straight line between the two values around it.

    probabilities (0.5, 0.95, 0.99, 0.999)  ─▶  p50, p95, p99, p99_9

Infinite values are values as others are; a quantile between −∞ and ∞ is null, and the status not finite, while those
that are known are written. Statuses: too few tuples for a window without any; not finite.
"""

from decimal import Decimal
from math import isfinite, isnan

from windrow.kernels.farm.content import NOT_FINITE, OK, TOO_FEW, Result, WindowContent
from windrow.kernels.farm.functions._function import HeavyFunction, Parameters
from windrow.kernels.farm.functions._sorting import gather_sorted
from windrow.kernels.runtime.memory import inner
from windrow.schemas.errors import WrongParameter


def outputs(values):
    """p and the percentage, such as p99_9 for 0.999. WrongParameter where a probability is given twice."""
    names = tuple(name_of(probability) for probability in values)
    if len(set(names)) < len(names):
        given = tuple(map(float, values))
        raise WrongParameter("probabilities of quantiles", given, "numbers from 0.0 to 1.0, each of them once")
    return names


def name_of(probability):
    """Name of a probability's output. By its decimal digits: 100 · 0.07 is 7.000000000000001 as a float."""
    percentage = format(Decimal(repr(float(probability) + 0.0)) * 100, "f")  # + 0.0 makes 0.0 of −0.0
    digits = percentage.rstrip("0").rstrip(".") if "." in percentage else percentage
    return f"p{digits.replace('.', '_')}"


def compute(content: WindowContent, result: Result):
    """O(tuples · log tuples + probabilities)."""
    if content.count == 0:
        return TOO_FEW
    stopped = gather_sorted(content)
    if stopped != 0:
        return stopped
    status = OK
    for k in range(content.parameter_count):
        result.values[k] = quantile(content.scratch, content.count, content.parameters[k])
        if isnan(result.values[k]):
            status = NOT_FINITE
    return status


@inner
def quantile(values, count, probability):
    position = probability * (count - 1)
    place = int(position)
    share = position - place
    return values[place] if share == 0.0 else between(values[place], values[place + 1], share)


@inner
def between(low, high, share):
    """The point at a share of the way from low to high; from the nearer end, as NumPy does, so that it never falls with
    the share. Two finite values may be further apart than the greatest float: their parts never are."""
    distance = high - low
    if not isfinite(distance):
        return low * (1.0 - share) + high * share
    return high - distance * (1.0 - share) if share >= 0.5 else low + distance * share


PARAMETERS = (Parameters("probabilities", (0.5, 0.95, 0.99), 0.0, 1.0),)
FUNCTION = HeavyFunction(("value",), outputs, compute, scratch=lambda values: (2, 0), parameters=PARAMETERS)
