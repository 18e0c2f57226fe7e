"""The skyline of two columns: the tuples to which no other is preferable, where less is better in both.

    y │ •                another tuple is preferable if neither its x nor its y is greater, and one of them is smaller
      │ ┊   ·   ·        • in the skyline   · not
      │ • ┄ ┄ •   ·      ┄ the lower left border of the area that is dominated: what lies right of and above some •,
      │       ┊ ·          up to the window's greatest x and greatest y
      └────────────── x

Börzsönyi, Kossmann & Stocker, The Skyline Operator, ICDE 2001; by sorting, as Kung, Luccio & Preparata, J. ACM 22
(1975): in order of x a tuple is in the skyline if its y is less than all before. Where greater values are better, give
the column's negative.

Outputs: points: tuples in the skyline, equal ones each counted; least_x and the least y with it; least_y and the least
x with it; area: what the skyline dominates. Statuses: too few tuples for a window without any; not finite, where the
area is beyond a float, as of infinite values: it is null then, the others are written.
"""

from math import inf, isfinite

from windrow.kernels.farm.content import NOT_FINITE, OK, TOO_FEW, Result, WindowContent, gather
from windrow.kernels.farm.functions._function import HeavyFunction
from windrow.kernels.farm.functions._sorting import sort_records
from windrow.kernels.runtime.memory import inner

OUTPUTS = ("points", "least_x", "y_of_least_x", "least_y", "x_of_least_y", "area")
POINTS, LEAST_X, Y_OF_LEAST_X, LEAST_Y, X_OF_LEAST_Y, AREA = range(6)
PAIR = 2


def compute(content: WindowContent, result: Result):
    """O(tuples · log tuples)."""
    count, pairs = content.count, content.scratch
    if count == 0:
        return TOO_FEW
    gather(content, 0, pairs, PAIR)
    gather(content, 1, pairs[1:], PAIR)
    stopped = sort_records(content, pairs, pairs[PAIR * count :], count, PAIR)
    if stopped != 0:
        return stopped
    return write(pairs, count, result)


@inner
def write(pairs, count, result):
    """All outputs, of pairs in order of x; of those of equal x only the ones whose y is least are points. O(count)."""
    greatest_y = -inf
    for place in range(0, PAIR * count, PAIR):
        greatest_y = max(greatest_y, pairs[place + 1])
    points, equal, area, least_y, x_of_least_y = 0, 0, 0.0, inf, pairs[0]
    for place in range(0, PAIR * count, PAIR):
        x, y = pairs[place], pairs[place + 1]
        if place == 0 or y < least_y:
            if x > x_of_least_y:
                area, equal = area + (x - x_of_least_y) * (greatest_y - least_y), 0
            points, equal, least_y, x_of_least_y = points + 1 - equal, 1, y, x
            if x == pairs[0]:
                result.values[Y_OF_LEAST_X] = y
        elif y == least_y and x == x_of_least_y:
            points, equal = points + 1, equal + 1
    area += (pairs[PAIR * (count - 1)] - x_of_least_y) * (greatest_y - least_y)
    result.values[POINTS], result.values[LEAST_X] = points, pairs[0]
    result.values[LEAST_Y], result.values[X_OF_LEAST_Y] = least_y, x_of_least_y
    if isfinite(area):
        result.values[AREA] = area
    return OK if isfinite(area) else NOT_FINITE


SCRATCH = 2 * PAIR, 0
FUNCTION = HeavyFunction(("x", "y"), outputs=lambda values: OUTPUTS, scratch=lambda values: SCRATCH, compute=compute)
