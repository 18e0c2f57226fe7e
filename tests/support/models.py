"""The rows of a query or a model: the oracle's, and what one call of the model's function says of each row's events."""

from datetime import timedelta

import numpy as np

from tests.support.oracle import oracle
from windrow.kernels.farm.once import compute_once
from windrow.pipelines.gate.recount.plain.ticks import to_us
from windrow.schemas.model import Model
from windrow.schemas.query import Query


def expected_rows(
    events: list[dict], query: Query, complete: bool = False, idle_after: timedelta | None = None
) -> list[dict]:
    """As `oracle.replay`, with the columns that a model adds."""
    if not isinstance(query, Model):
        return oracle.replay(events, query, complete, idle_after)
    pairs = oracle.contents(events, query, complete, idle_after)
    return [{**row, **of_function(query, row, held)} for row, held in pairs]


def of_function(model: Model, row: dict, held: list[dict]) -> dict:
    """tuples, status and outputs of the events that a row covers; None for null."""
    given = [event for event in held if all(event[column] is not None for column in model.function.columns)]
    call = model.function
    found = compute_once(
        call.function,
        np.array([to_us(event["start"]) for event in given], np.int64),
        np.array([[float(event[column]) for event in given] for column in call.columns]),
        call.named_parameters,
        (to_us(row["window_start"]), to_us(row["window_end"])),
    )
    outputs = {name: None if np.isnan(value) else value for name, value in found.outputs.items()}
    return {"tuples": len(given), "status": found.status, **outputs}
