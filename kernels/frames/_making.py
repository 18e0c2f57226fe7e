"""What cuts the frames of a window, made for a column of values."""

import numpy as np

from kernels.columns import MOST_EXACT
from kernels.frames._dispatch import OUT_OF_ORDER, TOO_OLD
from kernels.frames._rules import FrameRules
from kernels.frames.rules import maker
from kernels.monoids import AggregateSpec, find_monoid
from kernels.states.layout import NO_COLUMN
from kernels.states.plan import Plan, make_plan
from schemas.errors import AggregateFailed, BadInput, WrongParameter
from schemas.windows import AggregateFrame, Window


def make_rules(frame: Window, column: int | None, column_type: str) -> tuple[FrameRules, Plan | None]:
    """The rules of a frame, and the plan of the aggregate that closes it, which must live as long. column: place among
    the values; None of frames that none cuts. Raises WrongParameter, NotServed."""
    rules = maker(frame.kind)
    if column is None:
        return rules(frame, column=NO_COLUMN), None
    if column_type not in ("int64", "float64"):
        allowed = "int64 or float64, since frames compare its values"
        raise WrongParameter(f"type of column {frame.column}", column_type, allowed)
    columns = {"column": column, "is_float": column_type == "float64"}
    if not isinstance(frame, AggregateFrame):
        return rules(frame, **columns), None
    plan = make_plan((AggregateSpec(frame.function, column, column_type),), counts_events=False)
    if plan.output_types[0] not in ("int64", "float64"):
        raise WrongParameter("function", frame.function, "an aggregate that gives a number")
    return rules(frame, plan, **columns), plan


def require_exact(rules: FrameRules, values: np.ndarray, valid: np.ndarray, column: str) -> None:
    """Whole numbers by which frames are cut are compared as float64. BadInput for those that aren't."""
    if rules.column == NO_COLUMN or rules.is_float:
        return
    require_exact_values(values[rules.column], valid[rules.column], column)


def require_exact_values(values: np.ndarray, valid: np.ndarray, column: str) -> None:
    """The same of one column."""
    for value in values[valid & ((values < -MOST_EXACT) | (values > MOST_EXACT))][:1]:
        raise BadInput(f"{column}: {value} is beyond ±2**53, up to which windows compare it; scale it down")


def require_answers(rules: FrameRules, closing: AggregateSpec, column: str) -> None:
    """Frames that were cut by an answer that failed are no frames. closing: the aggregate. AggregateFailed."""
    if rules.has_failed:
        raise AggregateFailed(closing.function, f"{column}, by which frames close,", find_monoid(closing)[1].failure)


def refusal(kernel: str, status: int, time: str, floor: str, capacity: int) -> str:
    """Why a kernel couldn't take a tuple of a time, and what to do."""
    if status == OUT_OF_ORDER:
        return f"{time} comes before the youngest: {kernel} was made with sorting in_order; take eager or lazy"
    if status == TOO_OLD:
        return (
            f"{time} comes before {floor}, up to which was evicted, by evict() or the policy evict_after; evict later, "
            "or leave it out"
        )
    return (
        f"{time} finds no free cell among {capacity} of {kernel}, and no live tuple is overwritten; give a larger "
        "capacity, or evict sooner: evict_after and evict, or evict()"
    )
