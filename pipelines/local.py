"""Replays of a table in memory, without Spark and without a JVM: for unit tests of a query, notebooks and tools.

    from windrow import late_table, replay_table

    rows = replay_table(events, query)       # every revision of every window
    late = late_table(events, query)         # the events that were too late, and for which windows

The rows are those that a run gives over the same interval, bit for bit: both run replay/replay_events.py.
"""

from datetime import timedelta
from itertools import chain

import pyarrow as pa

from windrow.kernels.api import PassTicks
from windrow.pipelines.features.labels import in_lake_types
from windrow.pipelines.features.probing import AskedFeatures, feature_parts, features_of
from windrow.pipelines.replay.events_by_key import EventsOfKeys, QueryEvents
from windrow.pipelines.replay.replay_events import late_events, replay_events
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.replay.validate import ArrowStream, arrow_table, validate
from windrow.pipelines.replay.watermark import ticks_of_events
from windrow.pipelines.rows.arrays import decoded, stored
from windrow.pipelines.tables.arrival_days import DAY_US
from windrow.schemas.feature_set import KNOWN, FeatureSet
from windrow.schemas.query import EVENT_COLUMNS, Query
from windrow.schemas.validation import require_idle_after
from windrow.schemas.windows import MICROSECOND, require

# Features ask nothing of the watermark, which a clock ahead would move.
AHEAD_AT_MOST = timedelta(days=36_500)
# Those of 30 years of silence by the minute.
MOST_HEARTBEATS = 1 << 24


def replay_table(  # noqa: PLR0913 - what a stream says of itself, and a query doesn't, are arguments of their own
    events: ArrowStream,
    query: Query,
    complete: bool = False,
    kernel: str | None = None,
    options: dict | None = None,
    ahead_at_most: timedelta = timedelta(0),
    idle_after: timedelta | None = None,
) -> pa.Table:
    """Replay events as they arrived and return every row that a streaming system would have emitted.

    events: a pyarrow.Table, a DataFrame of pandas or Polars, or another table that has `__arrow_c_stream__`. Its
        columns: the query's key and value columns; `start`, `end` (equal to start for points) and `arrival`, which are
        timestamps with a time zone, in whole microseconds; and `seq`, an integer. Rows may have any order; (arrival,
        seq) must be unique, end ≥ start, and no value NaN (pandas' NaN counts as null)
    complete: True if the stream has ended: the watermark then goes to infinity at the last arrival tick
    kernel, options: use this kernel with these options. By default the events of a key decide which kernel the key
        gets; the ledger of a run lists the kernels. Every replay has the options most_rows (by default as many as a
        quarter of the machine's memory holds) and most_seconds
    ahead_at_most: how far the start of an event may be after its arrival, as in a stream's definition. An event
        further ahead is refused, since after one wrong clock all other events would be too late
    idle_after: after how much silence the watermark moves without events, as in a stream's definition: from 1 minute
        to less than a day. At each whole idle_after since the last arrival tick, or since midnight (UTC), the
        watermark moves as if an event had come that began idle_after before; until the end of the last arrival's day
    Returns a pyarrow.Table of the key columns with their own types, window_start, window_end, revision, pane,
    emitted_at, events, late_events and the aggregates, sorted by key (null last), window_start, window_end, revision.
    Of a query with several windows window_name stands behind the key, in the sorting too.
    Raises BadInput for events that break the contract (it names the row), WrongParameter for a query that doesn't fit
    the table, NotServed for an unknown window, aggregate or kernel, AggregateFailed for a sum beyond int64, TooManyRows
    and TooManySeconds beyond these limits. Ctrl-C ends it at once.
    O(rows · log rows) time for in-memory sorting; see the kernel for the rest.
    """
    table = arrow_table(events)
    ours, ticks = _validated(table, query, complete, ahead_at_most, idle_after)
    parts = ServedQuery.parts_of(query, kernel)
    ended_us = int(stored(ours["arrival"]).max()) if complete and ours.num_rows else None
    replayed = replay_events(QueryEvents.of(ours, query), parts, ticks, parts[0].rules(ended_us), options)
    return _with_key_types(replayed.rows, table, query)


def late_table(
    events: ArrowStream,
    query: Query,
    complete: bool = False,
    ahead_at_most: timedelta = timedelta(0),
    idle_after: timedelta | None = None,
) -> pa.Table:
    """Return the events that were too late for at least one of their windows, or too long for spanning windows, sorted
    by key, arrival, seq. The arguments are those of `replay_table`.

    Returns the key columns (with several windows then window_name), start, end, arrival, seq, reason, first_missed and
    last_missed (starts of windows), windows_missed and late_by (µs, int64: the watermark before the event's tick − the
    end of the first missed window; below zero for a too long event that came in time, null if the event met no window
    or came before any watermark).
    `complete` changes nothing, since no event arrives after the last tick. Raises the same errors as replay_table.
    """
    table = arrow_table(events)
    ours, ticks = _validated(table, query, complete, ahead_at_most, idle_after)
    return _with_key_types(late_events(EventsOfKeys.of(ours, query), ServedQuery.parts_of(query), ticks), table, query)


def features_table(
    events: ArrowStream, labels: ArrowStream, features: FeatureSet, knowledge: str = KNOWN, time: str | None = None
) -> pa.Table:
    """Return the labels in their order, with the features of a feature set behind.

    events: as of `replay_table`, but that clocks may be ahead; labels, knowledge, time: as of `windrow.features`.
    Raises BadInput and WrongParameter as both do, also for a feature set with `latest`, which needs a lake.
    O(events log events + labels log labels + windows · (events · log d + labels)), d being how many younger events come
    before an event.
    """
    return features_of(*_asked_features(events, labels, features, knowledge, time))


def features_batches(
    events: ArrowStream, labels: ArrowStream, features: FeatureSet, knowledge: str = KNOWN, time: str | None = None
) -> pa.RecordBatchReader:
    """The same of more labels than memory holds the features of: by key and time, some 16 million values at once. All
    labels of a key come at once where an aggregate rounds, such as `std`.

    Arguments and errors are those of `features_table`. AggregateFailed of the first values is raised at once, of others
    by what reads: other libraries than pyarrow raise an error of theirs with its text.
    """
    asked, of_labels = _asked_features(events, labels, features, knowledge, time)
    parts = feature_parts(asked, of_labels)
    first = next(parts)
    batches = (batch for part in chain([first], parts) for batch in part.to_batches())
    return pa.RecordBatchReader.from_batches(first.schema, batches)


def _asked_features(
    events: ArrowStream, labels: ArrowStream, features: FeatureSet, knowledge: str, time: str | None
) -> tuple[pa.Table, AskedFeatures]:
    """The labels in the types of the events, and what is asked at them."""
    require(isinstance(features, FeatureSet), "features", type(features).__name__, "a windrow.FeatureSet")
    require(not features.latest, "latest", sorted(features.latest), "none without a lake: ask windrow.features")
    ours = validate(arrow_table(events), features.query, AHEAD_AT_MOST)
    of_key = {name: decoded(ours[name].slice(0, 0)).type for name in features.key}
    of_key = {name: type_ for name, type_ in of_key.items() if type_ != pa.null()}  # no event has such a key
    asked, chosen = in_lake_types(arrow_table(labels, "labels"), features, time, of_key)
    return asked, AskedFeatures.of(ours, asked, chosen, features, knowledge)


def _validated(
    events: pa.Table, query: Query, complete: bool, ahead_at_most: timedelta, idle_after: timedelta | None
) -> tuple[pa.Table, PassTicks]:
    require(isinstance(complete, bool), "complete", complete, "True or False")
    require(
        isinstance(ahead_at_most, timedelta), "ahead_at_most", ahead_at_most, "a timedelta such as timedelta(hours=1)"
    )
    require_idle_after(idle_after)
    ours = validate(events, query, ahead_at_most)
    arrival_us = stored(ours["arrival"])
    if idle_after is not None and len(arrival_us):  # one wrong arrival time must not cost all memory
        days = int(arrival_us.max()) // DAY_US - int(arrival_us.min()) // DAY_US + 1
        most = days * (DAY_US // (idle_after // MICROSECOND))
        allowed = (
            f"a length with at most {MOST_HEARTBEATS:,} heartbeats; this table would have up to {most:,}. Check the "
            "arrival times: the first and the last are far from each other"
        )
        require(most <= MOST_HEARTBEATS, "idle_after", idle_after, allowed)
    return ours, ticks_of_events(arrival_us, stored(ours["start"]), idle_after)


def _with_key_types(rows: pa.Table, events: pa.Table, query: Query) -> pa.Table:
    """Key columns as the caller had them, where validation changed their type."""
    types = {name: events.schema.field(name).type for name in query.key if name not in EVENT_COLUMNS}
    return rows.cast(pa.schema([field.with_type(types.get(field.name, field.type)) for field in rows.schema]))
