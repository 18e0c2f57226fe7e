"""What a day leaves for the next one, a row for each key in the state table (schemas/side_tables.py), and from which
state the run of a day goes on: what the run of the newest arrival day before it left.

    day 1 ──▶ state ──▶ day 2 ──▶ state ──▶ (no arrivals) ──▶ day 4

Where a stream has heartbeats, a day without arrivals changes the state too, so it is the day before. That run must have
read the same events of all its days as this run's snapshot has of them, and must be of the same definitions: else the
rows would follow from two snapshots at once.

A state is a row for each key in the state table (schemas/side_tables.py), with the words that its kernel gave
(kernels/replay/carried.py). A task reads it as rows among the events, so that what an engine brings together by key, or
a bucket, holds both:

    key │ start │ … │ carried_state
    a   │ 10:07 │ … │               an event of the day
    a   │       │   │ 0x3f1c…       what the day before left of the key
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.code_hash import question_hash
from windrow.pipelines.ledger.run_table import StepRow
from windrow.pipelines.ledger.stale import ARRIVALS_BEFORE, BUCKETS, QUESTION, STATE
from windrow.pipelines.replay.event_arrays import Groups, group, sequence_of
from windrow.pipelines.rows.arrays import TIME, arrow_schema
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import AuditVersions
from windrow.schemas.errors import EarlierDayMissing
from windrow.schemas.side_tables import CARRIED, state_name
from windrow.schemas.stream import Stream
from windrow.schemas.tables import Table, bucket_of
from windrow.schemas.windows import DAY

STATE_TYPE = pa.large_binary()
WORD = np.dtype("<i8")
DIGEST_BITS = 64


class EarlierState(NamedTuple):
    """Whose state it is, the version of the state table that has it, and its digest; published: the version of the
    results that came with it, where the ledger has that."""

    day: date
    run_id: str
    version: int
    digest: str
    published: int | None = None

    @classmethod
    def left_by(cls, day: date, run_id: str, versions: AuditVersions) -> "EarlierState":
        """By a day of this run."""
        assert versions.state is not None and versions.state_digest is not None
        return cls(day, run_id, versions.state, versions.state_digest)


def find(lake: Lake, tables: QueryTables, days: ArrivalDays, day: date, snapshot: str) -> EarlierState | None:
    """None where nothing had arrived before the day: all begins with it. EarlierDayMissing, which names the run that
    must be first. O(runs of the query + arrival days)."""
    query, has_heartbeats = tables.query.name, tables.source.stream.idle_after is not None
    before = days.changing(date.min, day - DAY, has_heartbeats)
    if not before:
        return None
    previous, found = before[-1], run_table.published(lake, query)
    if previous not in found:
        newest = max((each for each in found if each < previous), default=date.min)
        first = min(each for each in before if newest < each)  # behind all that are published
        raise _missing(query, day, f"{previous} is not published", f"--from {first} --to {day}")
    published = found[previous]
    versions = AuditVersions(**published.inputs)
    if why := _why_other(lake, tables, days, published):
        if versions.snapshot > snapshot:
            newer = f"the run of {previous} read a newer ingest than this one, which another run of this day reads too"
            raise _missing(query, day, newer, f"--from {day} --to {day}")
        raise _missing(query, day, why, "--stale")
    version = _readable_version(lake, tables, previous, versions)
    if version is None or versions.state_digest is None:
        raise gone(query, day, previous)
    came_with = published.outputs.get(tables.results.name)
    return EarlierState(previous, published.run_id, version, versions.state_digest, came_with)


def inputs(tables: QueryTables, days: ArrivalDays, day: date, earlier: EarlierState | None) -> dict:
    """What the ledger keeps of a run that goes on from a state, or begins."""
    noted = {**earlier._asdict(), "day": earlier.day.isoformat()} if earlier else None
    return {**_read(tables, days, day), STATE: noted}


def _read(tables: QueryTables, days: ArrivalDays, day: date) -> dict:
    of_query = {BUCKETS: tables.source.stream.buckets, QUESTION: question_hash(tables.query)}
    return {**days.inputs(day, day), ARRIVALS_BEFORE: days.digest_before(day), **of_query}


def _why_other(lake: Lake, tables: QueryTables, days: ArrivalDays, published: StepRow) -> str | None:
    """Why the newest publication of a day left no state for this run."""
    query, day = published.replayed
    asked = [("query", "=", query), ("logical_date", "=", day), ("step", "=", "audit"), ("state", "=", "done")]
    audits = reversed(run_table.rows(lake, asked))
    # The newest: of a table that was made again, versions are counted anew.
    audited = next((row for row in audits if AuditVersions(**row.outputs) == AuditVersions(**published.inputs)), None)
    if audited is None:
        return f"the ledger has lost what the run of {day} read"
    if audited.inputs.get(QUESTION) != question_hash(tables.query):
        return f"the definition of the query or of its stream has changed since {day} was run"
    if audited.inputs != {**audited.inputs, **_read(tables, days, day)}:
        return f"events of {day} or of earlier days have changed since {day} was run"
    return None


def _readable_version(lake: Lake, tables: QueryTables, day: date, versions: AuditVersions) -> int | None:
    """The version that the run left, or the newest, into which maintenance may have put its files together: whether
    that has the state, its digest says when it is read."""
    name, of_day = state_name(tables.query.name), [("logical_date", "=", day.isoformat())]
    if versions.state is None or lake.lacks_files(name, versions.state, of_day):
        return lake.version(name)
    return versions.state


def gone(query: str, day: date, previous: date) -> EarlierDayMissing:
    """The error where maintenance, a repair or a lost log has taken the state away."""
    why = f"the state of {previous} in {state_name(query)} is gone"
    return _missing(query, day, why, f"--from {previous} --to {day}")


def not_published(query: str, previous: date) -> EarlierDayMissing:
    """The error of days that go on from one that was not published in the same run."""
    return EarlierDayMissing(
        f"the days of {query} after {previous} start from its state, and {previous} was not published. Once it is: "
        f"windrow backfill {query} --stale, or --from {previous} --to the last of them"
    )


def _missing(query: str, day: date, why: str, days: str) -> EarlierDayMissing:
    return EarlierDayMissing(
        f"the run of {query} for {day} starts from the state of an earlier day, and {why}; "
        f"first run: windrow backfill {query} {days}"
    )


def split_rows(rows: pa.Table, key: Sequence[str]) -> tuple[pa.Table, pa.Table]:
    """Events, and what was left of keys."""
    is_state = pc.is_valid(rows[CARRIED])
    return rows.filter(pc.invert(is_state)).drop_columns([CARRIED]), rows.filter(is_state).select([*key, CARRIED])


def group_with(events: pa.Table, carried: pa.Table, key: tuple[str, ...]) -> tuple[Groups, list[np.ndarray]]:
    """Groups of the events of all keys that are among the events or among what was carried, and what was carried of
    each key, an empty array if nothing was. O(rows · log rows)."""
    # A row for each key that was carried on stands before the events.
    kept = pa.table({**{name: carried[name] for name in key}, "arrival": pa.nulls(len(carried), TIME)})
    ordered = events.select([*key, "arrival", *sequence_of(events)])
    groups = group(pa.concat_tables([kept, ordered], promote_options="default"), key)
    is_event = groups.order >= len(carried)
    keys = len(groups.offsets) - 1
    counts = np.bincount(groups.number[is_event], minlength=keys)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    saved = [np.zeros(0, np.int64)] * keys
    for row, number in zip(groups.order[~is_event], groups.number[~is_event], strict=True):
        words = carried[CARRIED][int(row)].as_py()
        saved[number] = np.frombuffer(words, WORD, len(words) // WORD.itemsize)  # the kernel refuses what was cut
    order = groups.order[is_event] - len(carried)
    return Groups(order, offsets, groups.number[is_event], groups.keys), saved


def carried_table(groups: Groups, saved: Sequence[np.ndarray], key: tuple[str, ...]) -> pa.Table:
    """What is carried on, a row for each key that leaves something."""
    left = np.flatnonzero([len(words) > 0 for words in saved])
    keys = {} if groups.keys is None else {name: groups.keys[name].take(left) for name in key}
    words = [saved[int(number)].astype(WORD, copy=False).tobytes() for number in left]
    return pa.table({**keys, CARRIED: pa.array(words, STATE_TYPE)})


def state_rows(carried: pa.Table, stream: Stream, whole_buckets: bool, table: Table, day: date) -> pa.Table:
    """As the state table has it: the day, and the bucket of each key, 0 where a key is in several."""
    of_day = carried.append_column("logical_date", pa.repeat(pa.scalar(day), len(carried)))
    buckets = [0] * len(carried)
    if whole_buckets:
        keys = zip(*(carried[name].to_pylist() for name in stream.key), strict=True)
        buckets = [bucket_of(key, stream.buckets) for key in keys]
    schema = arrow_schema(table)
    return of_day.append_column("bucket", pa.array(buckets, pa.int64())).select(schema.names).cast(schema)


def state_digest(rows: pa.Table) -> int:
    """A sum over keys, whatever their order. O(bytes)."""
    key = [name for name in rows.column_names if name not in (CARRIED, "logical_date", "bucket")]
    keys = rows.select(key).to_pylist() if key else [{}] * len(rows)
    total = 0
    for of_key, words in zip(keys, rows[CARRIED], strict=True):
        digest = hashlib.sha256(repr(of_key).encode())
        digest.update(words.as_buffer())
        total += int.from_bytes(digest.digest()[: DIGEST_BITS // 8])
    return total


def digest_text(digests: Iterable[int]) -> str:
    """Of all shares, as the ledger keeps it."""
    return f"{sum(digests) % (1 << DIGEST_BITS):016x}"
