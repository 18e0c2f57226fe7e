"""A model's outputs are what its function says of the row's events, one call a window, on one core.

Which events a row has is asked of silver in SQL, where no kernel takes part, as all of a recount; the function is the
model's own. Of each share of keys some rows of each day are computed again: a farm that mixed up windows, lost tuples
of a chunk or wrote to another's row would do so in many.
"""

from datetime import date
from math import isnan
from typing import NamedTuple

import pyarrow as pa

from pipelines.gate.recount import sql
from pipelines.gate.recount.finding import LawFinding, found_in_rows, verdict_on_rows
from pipelines.gate.recount.query_days import AuditedDays, Recount
from pipelines.gate.recount.sources import YEAR_ONE_US
from pipelines.ledger.verdicts import Verdict
from schemas.model import MODEL_COLUMNS, HeavyCall, Model

NAME = "a model's outputs are what its function says"
LAW = (
    "Of some rows of each share of keys, tuples, status and outputs are, to the last bit, what one call of the model's "
    "function gives of the events that the row covers and that have a value in each of its columns."
)
CHECKS = "model"
ROWS_OF_A_SHARE = 20
EVENTS_OF_A_ROW = 100_000
"""A row that has more events isn't computed again: its check would take as long as the farm."""
TUPLES, STATUS = MODEL_COLUMNS
OF_THE_MACHINE = ("over time", "no memory")
"""Statuses that depend on more than the events."""


class _Row(NamedTuple):
    """A row of the audit; `until_us`: its events had arrived by then; found: tuples, status and outputs."""

    key_number: int
    window_start_us: int
    window_end_us: int
    revision: int
    day: date
    until_us: int
    found: tuple


def find(recount: Recount) -> dict[date, LawFinding]:
    """Compute some rows again. O(events of these rows)."""
    expected = [(row, _expected(recount, row)) for row in _rows(recount)]
    broken = [(*row[:5], *again) for row, again in expected if _bits(row.found) != _bits(again)]
    where = [(name, pa.date32() if name == "day" else pa.int64()) for name in _Row._fields[:5]]
    tuples, status, *outputs = _names(recount)
    found = [(tuples, pa.int64()), (status, pa.string()), *((name, pa.float64()) for name in outputs)]
    schema = pa.schema([*where, *found])
    rows = [dict(zip(schema.names, row, strict=True)) for row in broken]
    recount.connection.register("computed_again", pa.Table.from_pylist(rows, schema))
    return found_in_rows(recount, "SELECT * FROM computed_again", _names(recount))


def verdict(of: AuditedDays, found: LawFinding) -> Verdict:
    what = f"say other than their events ({ROWS_OF_A_SHARE} rows of each share of keys were computed again)"
    return verdict_on_rows(of, NAME, found, _names(of), what)


def _columns(of: AuditedDays) -> list[str]:
    """From `tuples` on: behind `status` a model's own outputs."""
    names = list(of.tables.audit.column_names)
    return names[names.index(TUPLES) : names.index("emitted_date")]


def _names(of: AuditedDays) -> tuple[str, ...]:
    return tuple(f"recounted_{name}" for name in _columns(of))


def _rows(recount: Recount) -> list[_Row]:
    """Some of each day's, the same ones whatever days are looked at along with it: of windows that were open on the
    day. That others have no rows is law 4."""
    columns = ", ".join(f"a.{sql.name(name)}" for name in _columns(recount))
    statuses = ", ".join(map(sql.literal, OF_THE_MACHINE))
    key = (f"k.{sql.name(name)}" for name in recount.query.key)
    named = ", ".join((*key, "w.window_start_us", "w.window_end_us", "a.revision"))
    found = recount.rows(f"""
        SELECT k.key_number, w.window_start_us, w.window_end_us, a.revision, a.emitted_date,
               least(epoch_us(a.emitted_at), w.closed_us), {columns}
        FROM audit_table a JOIN keys k ON {sql.same(recount.query.key, "a", "k")}
        JOIN windows w
            ON epoch_us(a.window_start) = w.window_start_us AND epoch_us(a.window_end) = w.window_end_us
        WHERE a.{STATUS} NOT IN ({statuses}) AND a.events <= {EVENTS_OF_A_ROW}
          AND w.closed_us >= {sql.begin_us("a.emitted_date")}
        QUALIFY row_number() OVER (PARTITION BY a.emitted_date ORDER BY hash({named}), {named}) <= {ROWS_OF_A_SHARE}
        """)
    return [_Row._make((*row[:6], tuple(row[6:]))) for row in found]


def _expected(recount: Recount, row: _Row) -> tuple:
    """tuples, status and outputs, by one call."""
    # Imported here: the recount of a plain query uses no kernel.
    import numpy as np

    from kernels.farm.once import compute_once

    call = _function(recount)
    events = np.array(_events(recount, row), np.float64).reshape(-1, 1 + len(call.columns))
    times_us = events[:, 0].astype(np.int64) + row.window_start_us
    bounds_us = row.window_start_us, row.window_end_us
    once = compute_once(call.function, times_us, events[:, 1:].T, call.named_parameters, bounds_us)
    return (len(events), once.status, *once.outputs.values())


def _function(of: AuditedDays) -> HeavyCall:
    assert isinstance(of.query, Model), "this check is of models"
    return of.query.function


def _events(recount: Recount, row: _Row) -> list[tuple]:
    """Time from the window's start, in µs, and values; in order of (start, arrival, seq)."""
    columns = [f"s.{sql.name(column)}" for column in _function(recount).columns]
    since_us = row.window_start_us - sql.microseconds(recount.stream.ahead_at_most)
    return recount.rows(f"""
        SELECT epoch_us(s.start) - {row.window_start_us}, {", ".join(f"CAST({each} AS DOUBLE)" for each in columns)}
        FROM silver s JOIN keys k ON {sql.same(recount.query.key, "s", "k")}
        WHERE k.key_number = {row.key_number} AND {sql.where(recount.query.where, "s")}
          AND s.start >= {sql.at(max(YEAR_ONE_US, row.window_start_us))} AND s.start < {sql.at(row.window_end_us)}
          AND s.arrival_date BETWEEN {sql.day_of(str(since_us))} AND {sql.literal(row.day)}
          AND epoch_us(s.arrival) <= {row.until_us} AND {" AND ".join(f"{each} IS NOT NULL" for each in columns)}
        ORDER BY s.start, s.arrival, s.path, s.line, s.reading""")


def _bits(values: tuple) -> list:
    """Floats by their bits; null is NaN."""
    known = [None if isinstance(value, float) and isnan(value) else value for value in values]
    return [value.hex() if isinstance(value, float) else value for value in known]
