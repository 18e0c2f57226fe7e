"""Kinds of frames: what opens and closes them. One file = one kind, named as its window in schemas/windows, found by
looking; each defines `WINDOW`, the class of its window, and `rules_of`, which makes the FrameRules of one, its `column`
and `is_float` being given."""

import functools
import importlib
from collections.abc import Callable

import numpy as np

from kernels.columns import LIMIT_US, MOST_EXACT
from kernels.frames._rules import FrameRules
from kernels.monoids import AggregateSpec, find_monoid
from kernels.runtime.found import names_in
from kernels.states.layout import NO_COLUMN
from kernels.states.state_plan import Plan, make_plan
from schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter
from schemas.windows import AggregateFrame, Session, Window, require_cutting_type

LONGEST_GAP_US = LIMIT_US // 2
"""Of a column, about 36,533 years: the end of a session that begins at a time within the limit can be added to."""


@functools.cache
def _maker(kind: str) -> Callable[..., FrameRules]:
    """What makes the rules of a window of a kind, such as "frame.delta" or "session"."""
    kinds = names_in(__path__)
    for module in (importlib.import_module(f"{__name__}.{name}") for name in kinds):
        if kind == module.WINDOW.kind:
            return module.rules_of
    raise NotServed("frame", kind, kinds)


def make_rules(frame: Window, column: int | None, column_type: str) -> tuple[FrameRules, Plan | None]:
    """The rules of a frame, and the plan of the aggregate that closes it, which must live as long. column: place among
    the values; None of frames that none cuts. Raises WrongParameter, NotServed."""
    rules = _maker(frame.kind)
    if column is None:
        return rules(frame, column=NO_COLUMN), None
    require_cutting_type(frame, frame.column, column_type)
    columns = {"column": column, "is_float": column_type == "float64"}
    if not isinstance(frame, AggregateFrame):
        return rules(frame, **columns), None
    plan = make_plan((AggregateSpec(frame.function, column, column_type),), counts_events=False)
    if plan.output_types[0] not in ("int64", "float64"):
        raise WrongParameter("function", frame.function, "an aggregate that gives a number")
    return rules(frame, plan, **columns), plan


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
