"""Some of a query's keys: what one task of the gate counts again."""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from pipelines.gate.recount import sql
from pipelines.gate.recount.query_days import Recount
from schemas.buckets import bucket_of


class KeyShare(NamedTuple):
    """One of so many parts of the keys of some buckets of silver, where a bucket holds a key's events whole; of all
    keys where none are named."""

    buckets: tuple[int, ...] = ()
    part: int = 0
    parts: int = 1

    @property
    def of_silver(self) -> list[tuple]:
        """Which of silver's files hold its events."""
        return [("bucket", "in", [str(bucket) for bucket in self.buckets])] if self.buckets else []

    @property
    def within_buckets(self) -> "KeyShare":
        """What is left to choose where only its buckets' rows are."""
        return self._replace(buckets=())


ALL_KEYS = KeyShare()
KEYS_AT_ONCE = 100_000  # as Python's objects


def name_rows_of(recount: Recount, share: KeyShare, views: Sequence[str]) -> None:
    """Name as `views` the rows of the share's keys among those that are named with `all_` in front of that."""
    asked = ["TRUE"]
    if share.buckets:
        keys = f"keys_of_{views[0]}"  # views of an earlier call keep theirs
        recount.connection.register(keys, _keys_of_buckets(recount, share, views))
        asked.append(f"EXISTS (FROM {keys} k WHERE {sql.same(recount.stream.key, 'r', 'k')})")
    if share.parts > 1:
        listed = ", ".join(f"r.{sql.name(column)}" for column in recount.query.key)
        asked.append(f"hash({listed}) % {share.parts} = {share.part}")
    for view in views:
        recount.connection.execute(f"CREATE TEMP VIEW {view} AS FROM all_{view} r WHERE {' AND '.join(asked)}")


def _keys_of_buckets(recount: Recount, share: KeyShare, views: Sequence[str]) -> pa.Table:
    """Of the keys that the views have: SQL doesn't know how keys are put into buckets."""
    columns = ", ".join(map(sql.name, recount.stream.key))
    every = " UNION ".join(f"SELECT {columns} FROM all_{view}" for view in views)
    keys, ours = recount.connection.sql(every).to_arrow_reader(KEYS_AT_ONCE), []
    for batch in keys:
        buckets = (bucket_of(tuple(key.values()), recount.stream.buckets) for key in batch.to_pylist())
        ours.append(batch.filter(pa.array([bucket in share.buckets for bucket in buckets], pa.bool_())))
    return pa.Table.from_batches(ours, keys.schema)
