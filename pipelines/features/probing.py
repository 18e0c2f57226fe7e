"""Features of labels from events in memory: Arrow in, a compiled call for each part of the labels, Arrow out.

events ──filter──▶ kept ──by key──▶ columns ─┐
labels ──by key and time──▶ probes ──────────┴──kernels/probes──▶ words ──▶ a column for each aggregate and window

Labels go in parts, so that memory holds the features of one.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.kernels.api import EventColumns
from windrow.kernels.probes.entry import EnteringEvents, probe_keys
from windrow.pipelines.features.newest_rows import newest_columns
from windrow.pipelines.features.sorted_labels import SortedLabels, sorted_labels
from windrow.pipelines.replay.event_arrays import result_arrays, value_arrays
from windrow.pipelines.replay.events_by_key import EventsOfKeys
from windrow.pipelines.replay.replay_events import labels_of
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.replay.work import is_exact
from windrow.pipelines.tables.query_tables import Aggregates, plan_aggregates
from windrow.schemas.feature_set import BOTH, KNOWN, SUFFIX, TRUE, FeatureSet
from windrow.schemas.windows import MICROSECOND

# Of a part: 2 million labels of 8 features, 300,000 of 50. A label with more features than this is a part of its own.
VALUES_AT_ONCE = 1 << 24


class ProbedEvents(NamedTuple):
    """The events of the labels' keys and of others, as kernels take them, by what is asked: as known, as true. strings:
    what words of strings stand for."""

    aggregates: Aggregates
    entering: Mapping[str, EnteringEvents]
    strings: Mapping

    @classmethod
    def of(cls, keyed: EventsOfKeys, features: FeatureSet, knowledge: str) -> "ProbedEvents":
        groups, types = keyed.groups, {field.name: field.type for field in keyed.events.schema}
        aggregates = plan_aggregates(features.query, types)
        words, valid, strings = value_arrays(aggregates, keyed.events, groups.order)
        named = labels_of(keyed, aggregates, ServedQuery.of(features.query))
        columns = EventColumns(groups.offsets, keyed.start_us, keyed.arrival_us, words, valid, None, named)
        entering = {each: EnteringEvents.of(columns, each == KNOWN) for each in knowledges(knowledge)}
        return cls(aggregates, entering, strings)


def knowledges(asked: str) -> tuple[str, ...]:
    return tuple(each for each in (KNOWN, TRUE) if asked in (each, BOTH))


def feature_parts(
    events: pa.Table,
    labels: pa.Table,
    time: str,
    features: FeatureSet,
    knowledge: str = KNOWN,
    rows_of: Mapping[str, pa.Table] | None = None,
) -> Iterator[pa.Table]:
    """The labels by key and time, in parts, with their features behind.

    events: key and value columns, start, arrival, and for the order seq or path, line, reading; labels: key columns of
    the events' types, and `time` as timestamp[us, UTC]; rows_of: by query those of its table that `latest` asks.
    Raises AggregateFailed, and for aggregates what plan_aggregates does.
    O(events log events + labels log labels + windows · (events · log d + labels)), d as of kernels/probes.
    """
    keyed = EventsOfKeys.of(events, features.query)
    of_labels, groups = sorted_labels(labels, time, keyed.groups, features.key)
    probed = ProbedEvents.of(keyed._replace(groups=groups), features, knowledge) if features.windows else None
    of_rows = [newest_columns(labels, of_labels, features, each, rows_of or {}) for each in knowledges(knowledge)]
    for first, end in _parts(of_labels, features, knowledge, probed):
        part = labels.take(of_labels.order[first:end])
        for each, newest in zip(knowledges(knowledge), of_rows, strict=True):
            columns = _of_windows(probed, of_labels, (first, end), features, each) if probed else {}
            columns |= {name: column.slice(first, end - first) for name, column in newest.items()}
            for name, column in columns.items():
                part = part.append_column(name, column)
        yield part


def in_their_order(parts: pa.Table, number: str) -> pa.Table:
    """Parts of labels by the number of each, 0, 1, …, which goes. O(labels); where no caller keeps the parts, one
    column at a time is there twice."""
    places = np.empty(len(parts), np.int64)
    places[parts[number].to_numpy()] = np.arange(len(parts))
    parts, found = parts.drop_columns([number]), {}
    for name in parts.column_names:
        found[name] = parts[name].combine_chunks().take(places)
        parts = parts.drop_columns([name])
    return pa.table(found)


def _parts(
    labels: SortedLabels, features: FeatureSet, knowledge: str, probed: ProbedEvents | None
) -> Iterator[tuple[int, int]]:
    """Where parts begin and end. What a rounded state says depends on the probes before: it isn't cut within a key."""
    at_once = max(1, VALUES_AT_ONCE // max(1, len(features.columns(knowledge))))
    ends = np.arange(at_once, len(labels.order), at_once)
    if probed is not None and not is_exact(probed.aggregates.plan):
        ends = np.unique(np.searchsorted(labels.key, labels.key[ends], "left"))
    return pairwise([0, *(int(end) for end in ends if end), len(labels.order)])


def _of_windows(
    probed: ProbedEvents, labels: SortedLabels, part: tuple[int, int], features: FeatureSet, knowledge: str
) -> dict[str, pa.Array]:
    aggregates, entering, strings = probed
    sizes_us = [size // MICROSECOND for size in features.windows.values()]
    probes = labels.probes(*part, len(entering[knowledge].columns.key_offsets) - 1)
    found = probe_keys(entering[knowledge], probes, sizes_us, aggregates.plan)
    named: dict[str, pa.Array] = {}
    for window, outputs, null in zip(features.windows, found.outputs, found.null, strict=True):
        made = result_arrays(aggregates, strings, outputs, null)
        named |= {f"{name}_{window}{SUFFIX[knowledge]}": column for name, column in made.items()}
    return named
