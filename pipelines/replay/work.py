"""A query's days, and what follows from them for every task of their replay."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from pipelines.replay.earlier_state import EarlierState
from pipelines.replay.look_back import LookBack, LookBacks
from pipelines.replay.specifications import ServedQuery, is_exact
from pipelines.rows.arrow_schemas import ARROW_TYPES
from pipelines.tables.query_tables import QueryTables
from schemas.model import Model
from schemas.state_table import CARRIED

ORDER_COLUMNS = ("start", "end", "arrival", "path", "line", "reading")


@dataclass(frozen=True)
class Work:
    """backs: what is read for each day; workers: threads of a model's farm, None of a plain query."""

    tables: QueryTables
    served: ServedQuery
    backs: LookBacks
    workers: int | None = None

    def of(self, days: Sequence[LookBack], earlier: EarlierState | None) -> "Work":
        """That of some of the days."""
        return replace(self, backs=self.backs._replace(of_days=tuple(days), earlier=earlier))

    @property
    def goes_on(self) -> bool:
        """Whether each day goes on from the state that the one before it left."""
        return self.tables.state is not None

    @property
    def whole_buckets(self) -> bool:
        """Whether a key is in one bucket only."""
        return set(self.tables.source.stream.key) <= set(self.tables.query.key)

    @cached_property
    def event_schema(self) -> pa.Schema:
        """The columns of silver that are read."""
        query, silver = self.tables.query, {column.name: column for column in self.tables.source.silver.columns}
        read = [silver[name] for name in dict.fromkeys((*query.read_columns, *ORDER_COLUMNS))]
        return pa.schema([pa.field(each.name, ARROW_TYPES[each.type], each.nullable) for each in read])

    @cached_property
    def read_schema(self) -> pa.Schema:
        """With that of the state, whose rows come along as rows among the events."""
        if not self.goes_on:
            return self.event_schema
        return pa.schema([*(field.with_nullable(True) for field in self.event_schema), (CARRIED, pa.binary())])

    @cached_property
    def at_once(self) -> bool:
        """Whether days that follow each other can be one pass. Farms are counted by day; what a day leaves is its own;
        and a rounded state depends on where its events begin."""
        query = self.tables.query
        return query.window.context_free and not isinstance(query, Model) and is_exact(query, self.event_schema)

    @cached_property
    def halo_us(self) -> tuple[int, int]:
        """How long before and after a pane of windows their events may start."""
        return self.served.kind.halo_us(self.tables.query.window)

    @property
    def least_start_us(self) -> int:
        """Before which no event starts that is read for having started, not for having arrived."""
        return min(each.least_start_us for each in self.backs.of_days)
