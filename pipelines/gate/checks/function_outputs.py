"""A model's outputs are what its function says of the row's events, one call a window, on one core.

Which events a row has is asked of silver in SQL, where no kernel takes part, as all of a recount; the function is the
model's own. Of each share of keys some rows of each day are computed again: a farm that mixed up windows, lost tuples
of a chunk or wrote to another's row would do so in many.

    Of some rows of each share of keys, tuples, status and outputs are, to the last bit, what one call of the model's
    function gives of the events that the row covers and that have a value in each of its columns.
"""

from datetime import date
from math import isnan

import pyarrow as pa

from windrow.pipelines.gate.recount import expressions, sql
from windrow.pipelines.gate.recount.finding import LawFinding, found_in_rows, verdict_on_rows
from windrow.pipelines.gate.recount.query_days import AuditedDays, Recount
from windrow.pipelines.gate.recount.sources import YEAR_ONE_US
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.schemas.model import MODEL_COLUMNS, HeavyCall, Model

NAME = "a model's outputs are what its function says"
CHECKS = "model"
ROWS_OF_A_SHARE = 20
EVENTS_OF_A_ROW = 100_000
"""A row that has more events isn't computed again: its check would take as long as the farm."""
TUPLES, STATUS = MODEL_COLUMNS
OF_THE_MACHINE = ("over time", "no memory")
"""Statuses that depend on more than the events."""
ROW = ("key_number", "window_start_us", "window_end_us", "revision")


def find(recount: Recount) -> dict[date, LawFinding]:
    """Compute some rows again. O(events of these rows)."""
    # Imported here: the recount of a plain query uses no kernel.
    import numpy as np

    from windrow.kernels.farm.once import compute_once

    broken, (tuples, status, *outputs), call = [], _names(recount), _function(recount)
    for row in _rows(recount):
        start_us = row["window_start_us"]
        events = np.array(_events(recount, row), np.float64).reshape(-1, 1 + len(call.columns))
        times_us = events[:, 0].astype(np.int64) + start_us
        bounds_us = start_us, row["window_end_us"]
        once = compute_once(call.function, times_us, events[:, 1:].T, call.named_parameters, bounds_us)
        again = dict(zip(_names(recount), (len(events), once.status, *once.outputs.values()), strict=True))
        if any(_bits(row[name]) != _bits(value) for name, value in again.items()):
            broken.append({**row, **again})
    whole, floats = (*ROW, tuples), ((name, pa.float64()) for name in outputs)
    schema = [*((name, pa.int64()) for name in whole), ("day", pa.date32()), (status, pa.string()), *floats]
    recount.connection.register("computed_again", pa.Table.from_pylist(broken, pa.schema(schema)))
    return found_in_rows(recount, "SELECT * FROM computed_again", _names(recount))


def verdict(of: AuditedDays, found: LawFinding) -> Verdict:
    what = f"say other than their events ({ROWS_OF_A_SHARE} rows of each share of keys were computed again)"
    return verdict_on_rows(of, NAME, found, _names(of), what)


def _names(of: AuditedDays) -> tuple[str, ...]:
    return tuple(f"recounted_{name}" for name in _columns(of))


def _columns(of: AuditedDays) -> list[str]:
    """From `tuples` on: behind `status` a model's own outputs."""
    names = list(of.tables.audit.column_names)
    return names[names.index(TUPLES) : names.index("emitted_date")]


def _rows(recount: Recount) -> list[dict]:
    """Some of each day's, the same ones whatever days are looked at along with it: of windows that were open on the
    day. That others have no rows is law 4. until_us: their events had arrived by then."""
    columns = ", ".join(f"a.{sql.name(name)} AS {sql.name(f'recounted_{name}')}" for name in _columns(recount))
    statuses = sql.literals(OF_THE_MACHINE)
    key = (f"k.{sql.name(name)}" for name in recount.query.key)
    named = ", ".join((*key, "w.window_start_us", "w.window_end_us", "a.revision"))
    found = recount.connection.sql(f"""
        SELECT k.key_number, w.window_start_us, w.window_end_us, a.revision, a.emitted_date AS day,
               least(epoch_us(a.emitted_at), w.closed_us) AS until_us, {columns}
        FROM audit_table a JOIN keys k ON {sql.same(recount.query.key, "a", "k")}
        JOIN windows w
            ON epoch_us(a.window_start) = w.window_start_us AND epoch_us(a.window_end) = w.window_end_us
        WHERE a.{STATUS} NOT IN ({statuses}) AND a.events <= {EVENTS_OF_A_ROW}
          AND w.closed_us >= {sql.begin_us("a.emitted_date")}
        QUALIFY row_number() OVER (PARTITION BY a.emitted_date ORDER BY hash({named}), {named}) <= {ROWS_OF_A_SHARE}
        """)
    return found.to_arrow_table().to_pylist()


def _function(of: AuditedDays) -> HeavyCall:
    assert isinstance(of.query, Model), "this check is of models"
    return of.query.function


def _events(recount: Recount, row: dict) -> list[tuple]:
    """Time from the window's start, in µs, and values; in order of (start, arrival, seq)."""
    columns, start_us = [f"s.{sql.name(column)}" for column in _function(recount).columns], row["window_start_us"]
    types = expressions.types_of(recount.connection, "silver")
    since_us = start_us - sql.microseconds(recount.stream.ahead_at_most)
    return recount.rows(f"""
        SELECT epoch_us(s.start) - {start_us}, {", ".join(f"CAST({each} AS DOUBLE)" for each in columns)}
        FROM silver s JOIN keys k ON {sql.same(recount.query.key, "s", "k")}
        WHERE k.key_number = {row["key_number"]} AND {expressions.where(recount.query.condition, "s", types)}
          AND s.start >= {sql.at(max(YEAR_ONE_US, start_us))} AND s.start < {sql.at(row["window_end_us"])}
          AND s.arrival_date BETWEEN {sql.day_of(str(since_us))} AND {sql.literal(row["day"])}
          AND epoch_us(s.arrival) <= {row["until_us"]} AND {" AND ".join(f"{each} IS NOT NULL" for each in columns)}
        ORDER BY s.start, s.arrival, s.path, s.line, s.reading""")


def _bits(value: object) -> object:
    """A float by its bits; null is NaN."""
    if not isinstance(value, float):
        return value
    return None if isnan(value) else value.hex()
