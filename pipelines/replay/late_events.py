"""The late table of events in memory: which of them missed windows, and for what. No kernel takes part.

events ──filter──▶ kept ──group by key──▶ closed forms over watermarks (kernels/windows) ──▶ late rows
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kernels.replay import PassTicks
from kernels.windows._late import Arrived, Late
from pipelines.replay.filter import rows_that_pass
from pipelines.replay.group_keys import event_times, group, sequence_of
from pipelines.replay.specifications import ServedQuery
from pipelines.rows.arrays import times
from schemas.errors import WrongParameter
from schemas.query import Query

LATE_COLUMNS = ("reason", "first_missed", "last_missed", "windows_missed", "late_by")


def late_events(events: pa.Table, served: ServedQuery, ticks: PassTicks) -> pa.Table:
    """The late rows, sorted by key and order of arrival; late_by in µs."""
    query = served.query
    kept = events.filter(rows_that_pass(events, query.where))
    groups = group(kept, query.key)
    late = Late.of_nothing()
    if kept.num_rows:
        arrived = Arrived.of(groups.number, *event_times(kept, groups), ticks, served.rules(None))
        late = served.kind.late(query.window, arrived)
    return _late_table(kept.take(groups.order[late.row]), query, late)


def _late_table(late_rows: pa.Table, query: Query, late: Late) -> pa.Table:
    names = dict.fromkeys((*query.key, "start", "end", "arrival", *sequence_of(late_rows)))
    clash = [name for name in query.key if name in LATE_COLUMNS]
    if clash:
        raise WrongParameter("key", clash[0], f"for a late table, a column other than {', '.join(LATE_COLUMNS)}")
    return pa.table(
        {
            **{name: late_rows[name] for name in names},
            "reason": pa.array(np.where(late.too_long, "too long", "too late"), pa.string()),
            "first_missed": _known(times(late.first_missed_us), late.windows_missed > 0),
            "last_missed": _known(times(late.last_missed_us), late.windows_missed > 0),
            "windows_missed": _known(pa.array(late.windows_missed), np.full(len(late.row), late.knows_windows)),
            "late_by": _known(pa.array(late.late_by_us), late.knows_how_late),
        }
    )


def _known(values: pa.Array, known: np.ndarray) -> pa.Array:
    return pc.if_else(pa.array(known), values, pa.scalar(None, values.type))
