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

from math import inf, isfinite, nan

from kernels.farm.content import NOT_FINITE, OK, TOO_FEW, Result, WindowContent, column_of
from kernels.farm.functions._function import HeavyFunction
from kernels.farm.functions._sorting import sort_records
from kernels.runtime.memory import inner

OUTPUTS = ("points", "least_x", "y_of_least_x", "least_y", "x_of_least_y", "area")
POINTS, LEAST_X, Y_OF_LEAST_X, LEAST_Y, X_OF_LEAST_Y, AREA = range(6)
PAIR = 2


def compute(content: WindowContent, result: Result):
    """O(tuples · log tuples)."""
    count, pairs = content.count, content.scratch
    if count == 0:
        return TOO_FEW
    greatest_y = gather_pairs(content, pairs)
    stopped = sort_records(content, pairs, pairs[PAIR * count :], count, PAIR)
    if stopped != 0:
        return stopped
    write(pairs, count, greatest_y, result)
    if isfinite(result.values[AREA]):
        return OK
    result.values[AREA] = nan
    return NOT_FINITE


@inner
def gather_pairs(content, pairs):
    """Copy x and y of each tuple next to each other, in order; returns the greatest y. O(tuples)."""
    place, greatest_y = 0, -inf
    for s in range(content.stretch_count):
        stretch = content.stretches[s]
        xs, ys = column_of(stretch, 0), column_of(stretch, 1)
        for i in range(stretch.count):
            pairs[place], pairs[place + 1] = xs[i], ys[i]
            greatest_y = max(greatest_y, ys[i])
            place += PAIR
    return greatest_y


@inner
def write(pairs, count, greatest_y, result):
    """All outputs, of pairs in order of x. O(count)."""
    result.values[POINTS] = result.values[AREA] = 0.0
    first, end = 0, PAIR * count
    while first < end:
        behind = first + PAIR
        while behind < end and pairs[behind] == pairs[first]:
            behind += PAIR
        add_column(pairs, first, behind, greatest_y, result)
        first = behind
    add_area(result, pairs[end - PAIR], greatest_y)


@inner
def add_column(pairs, first, end, greatest_y, result):
    """Those of equal x whose y is least, if it is less than all before."""
    x, y, equal = pairs[first], pairs[first + 1], 0
    for place in range(first + PAIR, end, PAIR):
        y = min(y, pairs[place + 1])
    for place in range(first, end, PAIR):
        equal += 1 if pairs[place + 1] == y else 0
    if result.values[POINTS] == 0.0:
        result.values[LEAST_X], result.values[Y_OF_LEAST_X] = x, y
    elif y >= result.values[LEAST_Y]:
        return
    else:
        add_area(result, x, greatest_y)
    result.values[POINTS] += equal
    result.values[LEAST_Y], result.values[X_OF_LEAST_Y] = y, x


@inner
def add_area(result, x, greatest_y):
    """What the newest point dominates before x."""
    result.values[AREA] += (x - result.values[X_OF_LEAST_Y]) * (greatest_y - result.values[LEAST_Y])


FUNCTION = HeavyFunction(
    columns=("x", "y"),
    outputs=lambda values: OUTPUTS,
    scratch=lambda values: (2 * PAIR, 0),
    compute=compute,
)
