"""What cuts each kind of frames (FRAMES; semantics §2): predicates, compiled once for all frames of the kind, which see
a value as a float64, and what is refused of the values that they see.

    values       5  7  2  8         threshold 5      5 7 │ 8            a maximal run of values of at least that
                 5  6  8  7  1      delta 3          5 6 │ 8 7 │ 1      each within a change of the first: 8 is 3 away
                 5  7  11  12  4    boundary 10      5 7 │ 11 12 │ 4    each between the same two multiples of a width
                 1  1  2  3  1      sum, bound 3     1 1 2 │ 3 │ 1      a frame grows while an aggregate of it, without
                                                                        the new tuple, is below a bound
    times        1  3  4  9         gap 5            1 3 4 │ 9          each less than a gap behind the one before
    gaps         3  9  1  2         of a column      1 3 4 9            as long as one that came reaches the next time:
                                                                        the second reaches 12
"""

from collections.abc import Callable
from math import floor
from typing import Any, NamedTuple

import numpy as np

from windrow.kernels.columns import LIMIT_US, MOST_EXACT
from windrow.kernels.frames._ordered import ENTRY_WORDS
from windrow.kernels.frames._rules import (
    ALL,
    NOTHING,
    OPENING_VALUE,
    REACH,
    Frame,
    FrameRules,
    Predicates,
    within,
)
from windrow.kernels.monoids import AggregateSpec, find_monoid
from windrow.kernels.runtime.fields import Count, Float, Microseconds
from windrow.kernels.runtime.memory import as_float, inner
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import lower, number_of
from windrow.kernels.states.layout import NO_COLUMN, GrowingRows
from windrow.kernels.states.state_plan import Plan, make_plan
from windrow.schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter
from windrow.schemas.windows import (
    AggregateFrame,
    BoundaryFrame,
    DeltaFrame,
    Session,
    ThresholdFrame,
    Window,
    require_cutting_type,
)

LONGEST_GAP_US = LIMIT_US // 2
"""Of a column, about 36,533 years: the end of a session that begins at a time within the limit can be added to."""


class ThresholdRules(FrameRules):
    at_least: Float("value")
    min_count: Count
    min_duration: Microseconds


def is_below(rules: ThresholdRules, frame: Frame, time, value):
    return 1 if as_float(value) < rules.at_least else 0


def is_reached(rules: ThresholdRules, value):
    return 1 if as_float(value) >= rules.at_least else 0


def is_one(rules: ThresholdRules, frame: Frame, tuples):
    return 1 if tuples >= rules.min_count and frame.last - frame.first >= rules.min_duration else 0


class DeltaRules(FrameRules):
    change: Float("value")


def is_away(rules: DeltaRules, frame: Frame, time, value):
    return 1 if abs(as_float(value) - frame.opening) >= rules.change else 0


class BoundaryRules(FrameRules):
    width: Float("value")
    offset: Float("value")


@inner
def _multiple(rules, value):
    """Of the width, below a value; infinite values stay as they are."""
    quotient = (value - rules.offset) / rules.width
    return float(floor(quotient)) if abs(quotient) < 2.0**52 else quotient


def is_of_another(rules: BoundaryRules, frame: Frame, time, value):
    return 1 if _multiple(rules, as_float(value)) != frame.opening else 0


def note_multiple(rules: BoundaryRules, frame: Frame, value):
    frame.opening = _multiple(rules, as_float(value))


def is_full(rules: FrameRules, frame: Frame, time, value):
    """An answer that isn't there yet, such as a deviation of one value, is below every bound."""
    word, is_null, failed = lower(rules.plan, frame.grown, 0)
    if failed:
        rules.has_failed = True
    if failed or is_null:
        return 0
    return 1 if number_of(rules.growing, word) >= rules.bound else 0


class SessionRules(FrameRules):
    gap: Microseconds


def is_behind_gap(rules: SessionRules, frame: Frame, time, value):
    return 1 if time - frame.last >= rules.gap else 0


class ReachRules(FrameRules):
    """unit: how long 1 in the column is."""

    unit: Microseconds


def is_beyond_reach(rules: ReachRules, frame: Frame, time, value):
    return 1 if time >= frame.reach else 0


def note_reach(rules: ReachRules, frame: Frame, time, value):
    frame.reach = max(frame.reach, time + int(as_float(value)) * rules.unit)


of_threshold = lazy_table(Predicates, "threshold_frames", closes=is_below, opens=is_reached, is_one=is_one)
of_delta = lazy_table(Predicates, "delta_frames", closes=is_away)
of_boundary = lazy_table(Predicates, "boundary_frames", closes=is_of_another, note_opening=note_multiple)
of_aggregate = lazy_table(Predicates, "aggregate_frames", closes=is_full)
of_session = lazy_table(Predicates, "session_frames", closes=is_behind_gap)
of_reach = lazy_table(Predicates, "session_by_column_frames", closes=is_beyond_reach, note_taken=note_reach)


class FrameKind(NamedTuple):
    """rules: what kernels are given; depends_on: what a frame's end does (_rules.py); fields(window): of `rules`."""

    rules: type[FrameRules]
    predicates: Callable[[], Predicates]
    depends_on: int
    fields: Callable[[Any], dict[str, Any]]


def _least(window: ThresholdFrame) -> dict[str, Any]:
    least = {"min_count": window.min_count, "min_duration": window.min_duration_us}
    return {"at_least": window.at_least} | {name: within(name, length) for name, length in least.items()}


FRAME_KINDS = {
    ThresholdFrame.kind: FrameKind(ThresholdRules, of_threshold, NOTHING, _least),
    DeltaFrame.kind: FrameKind(DeltaRules, of_delta, OPENING_VALUE, lambda window: {"change": window.change}),
    BoundaryFrame.kind: FrameKind(
        BoundaryRules, of_boundary, NOTHING, lambda window: {"width": window.width, "offset": window.offset}
    ),
    AggregateFrame.kind: FrameKind(FrameRules, of_aggregate, ALL, lambda window: {"bound": window.bound}),
    Session.kind: FrameKind(SessionRules, of_session, NOTHING, lambda window: {"gap": within("gap", window.gap_us)}),
}
BY_REACH = FrameKind(
    ReachRules, of_reach, REACH, lambda window: {"are_above_zero": 1, "unit": within("unit", window.unit_us)}
)
"""Sessions whose gap a column says."""


def make_rules(frame: Window, column: int | None, column_type: str) -> tuple[FrameRules, Plan | None]:
    """The rules of a frame, and the plan of the aggregate that closes it, which must live as long. column: place among
    the values; None of frames that none cuts. Raises WrongParameter, NotServed."""
    if frame.kind not in FRAME_KINDS:
        raise NotServed("frame", frame.kind, sorted(FRAME_KINDS))
    if isinstance(frame, Session) and (frame.column is None) != (column is None):
        allowed = "the place of the column that a session's gap names; None of a fixed gap"
        raise WrongParameter("column", column, allowed)
    of_kind = BY_REACH if isinstance(frame, Session) and column is not None else FRAME_KINDS[frame.kind]
    predicates = {name: getattr(of_kind.predicates(), name) for name in Predicates.fields}
    fields = predicates | {"depends_on": of_kind.depends_on} | of_kind.fields(frame)
    if column is None:
        return of_kind.rules.make(column=NO_COLUMN, **fields), None
    require_cutting_type(frame, frame.column, column_type)
    fields |= {"column": column, "is_float": column_type == "float64"}
    if not isinstance(frame, AggregateFrame):
        return of_kind.rules.make(**fields), None
    plan = make_plan((AggregateSpec(frame.function, column, column_type),), counts_events=False)
    if plan.output_types[0] not in ("int64", "float64"):
        raise WrongParameter("function", frame.function, "an aggregate that gives a number")
    growing = GrowingRows.make(gives_float=plan.output_types[0] == "float64", stride=ENTRY_WORDS)
    return of_kind.rules.make(plan=plan.layout, growing=growing, **fields), plan


def require_comparable(
    frame: Window, rules: FrameRules, values: np.ndarray, valid: np.ndarray, column: str, tuple_at: Callable[[int], str]
) -> None:
    """Whole numbers by which frames are cut are compared as float64, gaps are added to times. BadInput for those that
    can't be. values, valid: [columns, tuples]; column, tuple_at: what errors call it, and a tuple by its place."""
    if rules.column == NO_COLUMN or rules.is_float:
        return
    values, valid = values[rules.column], valid[rules.column]
    if not isinstance(frame, Session):
        require_exact_values(values, valid, column)
        return
    most = min(MOST_EXACT, LONGEST_GAP_US // frame.unit_us)
    for place in np.flatnonzero(valid & (values > most))[:1]:
        raise BadInput(
            f"{column}: {values[place]} of {tuple_at(int(place))} is a gap beyond {most:,} times "
            f"{frame.unit}; make it null, which is no gap, or smaller"
        )


def require_exact_values(values: np.ndarray, valid: np.ndarray, column: str) -> None:
    """Of one column, if it has whole numbers."""
    for value in values[valid & ((values < -MOST_EXACT) | (values > MOST_EXACT))][:1]:
        raise BadInput(f"{column}: {value} is beyond ±2**53, up to which windows compare it; scale it down")


def require_answers(rules: FrameRules, closing: AggregateSpec, column: str) -> None:
    """Frames that were cut by an answer that failed are no frames. closing: the aggregate. AggregateFailed."""
    if rules.has_failed:
        raise AggregateFailed(closing.function, f"{column}, by which frames close,", find_monoid(closing)[1].failure)
