"""Events by key, as kernels take them: filtered, sorted and made into words once for all windows of a query.

events ──where──▶ kept ──group by key──▶ times and words of each key, in order of arrival
                                    └─▶ of each window those that its days read (`chosen`)
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.kernels.replay.types import PaneStates
from windrow.pipelines.replay.day_state import group_with
from windrow.pipelines.replay.event_arrays import Groups, event_times, group, value_arrays
from windrow.pipelines.replay.expressions import counted_rows
from windrow.pipelines.replay.kept_panes import PaneRows, group_with_panes
from windrow.pipelines.tables.query_tables import Aggregates, ValueColumn, plan_aggregates
from windrow.schemas.query import Query


class EventsOfKeys(NamedTuple):
    """events: those that pass the query's `where`; groups: their places by key; start_us, end_us, arrival_us: key by
    key; key_numbers: of each key, its number among all of the query's; carried: what an earlier replay left of each
    key, None where windows depend on no other events; panes: of what came before, None where all are events."""

    events: pa.Table
    groups: Groups
    start_us: np.ndarray
    end_us: np.ndarray
    arrival_us: np.ndarray
    key_numbers: np.ndarray
    carried: Sequence[np.ndarray] | None = None
    panes: PaneStates | None = None

    @classmethod
    def of(cls, events: pa.Table, query: Query, before: pa.Table | PaneRows | None = None) -> "EventsOfKeys":
        """Also keys that only were carried on, or have panes only. O(events · log events)."""
        kept = events.filter(counted_rows(events, query))
        saved, panes = None, None
        if before is None:
            groups = group(kept, query.key)
        elif isinstance(before, PaneRows):
            groups, panes = group_with_panes(kept, before, query.key)
        else:
            groups, saved = group_with(kept, before, query.key)
        return cls(kept, groups, *event_times(kept, groups), np.arange(len(groups.offsets) - 1), saved, panes)

    def chosen(self, wanted: np.ndarray) -> "EventsOfKeys":
        """Those of some places, and their keys; where there are panes, all keys. O(events)."""
        order, number = self.groups.order[wanted], self.groups.number[wanted]
        counts = np.bincount(number, minlength=len(self.groups.offsets) - 1)
        present = np.flatnonzero(counts) if self.panes is None else np.arange(len(counts))
        keys = None if self.groups.keys is None else self.groups.keys.take(present)
        offsets = np.concatenate(([0], np.cumsum(counts[present]))).astype(np.int64)
        groups = Groups(order, offsets, np.repeat(np.arange(len(present)), counts[present]), keys)
        start_us, end_us, arrival_us = (us[wanted] for us in (self.start_us, self.end_us, self.arrival_us))
        of_keys = self.key_numbers[present]
        return EventsOfKeys(self.events, groups, start_us, end_us, arrival_us, of_keys, panes=self.panes)


class ValueWords(NamedTuple):
    """What the aggregates read of events, in their order by key, as `value_arrays` has it."""

    aggregates: Aggregates
    words: np.ndarray
    valid: np.ndarray
    strings: dict[ValueColumn, pa.Array]

    def chosen(self, wanted: np.ndarray) -> "ValueWords":
        """Those of some places."""
        return self._replace(words=self.words[:, wanted], valid=self.valid[:, wanted])


class QueryEvents(NamedTuple):
    """Events as a query's windows share them."""

    keyed: EventsOfKeys
    values: ValueWords

    @classmethod
    def of(cls, events: pa.Table, query: Query, before: pa.Table | PaneRows | None = None) -> "QueryEvents":
        """Of validated events. WrongParameter, NotServed for aggregates that don't fit the columns."""
        of_one_window = next(iter(query.parts.values()))  # what the aggregates are, all windows have in common
        aggregates = plan_aggregates(of_one_window, {field.name: field.type for field in events.schema})
        keyed = EventsOfKeys.of(events, query, before)
        return cls(keyed, ValueWords(aggregates, *value_arrays(aggregates, keyed.events, keyed.groups.order)))

    def chosen(self, wanted: np.ndarray) -> "QueryEvents":
        """Those of some places."""
        return self if wanted.all() else QueryEvents(self.keyed.chosen(wanted), self.values.chosen(wanted))
