"""Aggregates that take shares of events: count, sum, mean by the time that an event spends in a window (semantics §2).

values  [trip_duration_s …]        as they came
        [1.0 …]                    the share of each event, one row more: the replay writes what counts in a pane
"""

import numpy as np

from kernels.monoid import SHARE, AggregateSpec
from kernels.monoids import functions, monoids_of
from kernels.replay.types import AggregatePlan, EventColumns
from kernels.runtime.memory import as_word
from schemas.errors import NotServed, WrongParameter

ALL = as_word(1.0)


def by_shares(spec: AggregateSpec, columns: int) -> AggregateSpec:
    """The same aggregate of shares, which stand behind so many columns of values. NotServed for one that says nothing
    of a part of an event."""
    takes = takes_shares(spec.function)
    if not takes or spec.second is not None:
        raise NotServed(
            "aggregate of prorated events", spec.function, [each for each in functions() if takes_shares(each)]
        )
    return spec._replace(second=columns, second_type=SHARE)


def takes_shares(function: str) -> bool:
    """Whether an aggregate can be asked of parts of events."""
    return any(SHARE in monoid.second_types for monoid in monoids_of(function).values())


def with_shares(columns: EventColumns, plan: AggregatePlan) -> EventColumns:
    """The columns, with the row of shares if the plan asks for them. WrongParameter for a plan of both kinds."""
    asking = [spec for spec in plan.aggregates if spec.second_type == SHARE]
    if not asking:
        return columns
    events, place = len(columns.start_us), len(columns.values)
    if columns.end_us is None or len(asking) < len(plan.aggregates) or any(spec.second != place for spec in asking):
        raise WrongParameter(
            "aggregates", plan.aggregates, f"of shares, all or none, column {place}, of events that last"
        )
    values = np.vstack((columns.values, np.full((1, events), ALL, np.int64)))
    valid = np.vstack((columns.valid, np.ones((1, events), np.bool_)))
    return columns._replace(values=values, valid=valid, shares=values[place])
