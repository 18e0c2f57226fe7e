"""Features of labels from events in memory: Arrow in, a compiled call for each part of the labels, Arrow out.

events ──filter──▶ kept ──by key──▶ columns ─┐
labels ──by key and time──▶ probes ──────────┴──kernels/probes──▶ words ──▶ a column for each aggregate and window

Labels by key and time go in parts, so that memory holds the features of one; in their own order all at once.
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
from windrow.schemas.feature_set import KNOWN, SUFFIX, FeatureSet, knowledges
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


class AskedFeatures(NamedTuple):
    """Features of labels, before they are made. probed: None where no window is asked; newest: by what is asked, the
    columns of `latest`."""

    features: FeatureSet
    labels: SortedLabels
    probed: ProbedEvents | None
    newest: Mapping[str, Mapping[str, pa.ChunkedArray]]

    @classmethod
    def of(
        cls,
        events: pa.Table,
        labels: pa.Table,
        time: str,
        features: FeatureSet,
        knowledge: str = KNOWN,
        rows_of: Mapping[str, pa.Table] | None = None,
    ) -> "AskedFeatures":
        """events: key and value columns, start, arrival, and for the order seq or path, line, reading; labels: key
        columns of the events' types, and `time` as timestamp[us, UTC]; rows_of: by query those of its table that
        `latest` asks. Raises what plan_aggregates does. O(events log events + labels log labels)."""
        keyed = EventsOfKeys.of(events, features.query)
        ours, groups = sorted_labels(labels, time, keyed.groups, features.key)
        probed = ProbedEvents.of(keyed._replace(groups=groups), features, knowledge) if features.windows else None
        asked = knowledges(knowledge)
        newest = {each: newest_columns(labels, ours, features, each, rows_of or {}) for each in asked}
        return cls(features, ours, probed, newest)

    def columns(self, first: int, end: int, places: np.ndarray) -> dict[str, pa.Array]:
        """Of the labels [first, end) by key and time, in the order of some places among them. AggregateFailed.
        O(windows · (events · log d + labels)), d as of kernels/probes."""
        found: dict[str, pa.Array] = {}
        for each, newest in self.newest.items():
            found |= self._of_windows(first, end, places, each)
            found |= {name: column.slice(first, end - first).take(places) for name, column in newest.items()}
        return found

    def _of_windows(self, first: int, end: int, places: np.ndarray, knowledge: str) -> dict[str, pa.Array]:
        if self.probed is None:
            return {}
        aggregates, entering, strings = self.probed
        events = entering[knowledge].of_keys(*self.labels.keys(first, end))
        probes = self.labels.probes(first, end)
        named: dict[str, pa.Array] = {}
        for window, size in self.features.windows.items():
            found = probe_keys(events, probes, size // MICROSECOND, aggregates.plan)
            answer_of = found.answer_of[places]
            words, null = (each.take(answer_of, axis=1, mode="clip") for each in (found.outputs, found.null))
            made = result_arrays(aggregates, strings, words, null)
            named |= {f"{name}_{window}{SUFFIX[knowledge]}": column for name, column in made.items()}
        return named

    def parts(self) -> Iterator[tuple[int, int]]:
        """Where parts begin and end. What a rounded state says depends on the probes before: it isn't cut within a
        key."""
        labels, of_label = self.labels, len(self.features.columns(KNOWN)) * len(self.newest)
        at_once = max(1, VALUES_AT_ONCE // max(1, of_label))
        ends = np.arange(at_once, len(labels.order), at_once)
        if self.probed is not None and not is_exact(self.probed.aggregates.plan):
            ends = np.unique(np.searchsorted(labels.key, labels.key[ends], "left"))
        return pairwise([0, *(int(end) for end in ends if end), len(labels.order)])


def feature_parts(labels: pa.Table, asked: AskedFeatures) -> Iterator[pa.Table]:
    """The labels by key and time, in parts, with their features behind. O as AskedFeatures.columns."""
    labels = labels.combine_chunks()  # each take would put the chunks together again
    for first, end in asked.parts():
        found = asked.columns(first, end, np.arange(end - first))
        yield _beside(labels.take(asked.labels.order[first:end]), found)


def features_of(labels: pa.Table, asked: AskedFeatures) -> pa.Table:
    """The labels in their order, with their features behind. O as AskedFeatures.columns."""
    places = np.empty(len(labels), np.int64)
    places[asked.labels.order] = np.arange(len(labels))
    return _beside(labels, asked.columns(0, len(labels), places))


def _beside(labels: pa.Table, features: Mapping[str, pa.Array]) -> pa.Table:
    return pa.table({**{name: labels[name] for name in labels.column_names}, **features})
