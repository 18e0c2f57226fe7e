"""The table that a run of a feature set leaves: a row a label, the labels' own columns first, then the features."""

from collections.abc import Iterator

import pyarrow as pa

from windrow.pipelines.rows.arrays import ARROW_TYPES
from windrow.pipelines.tables.query_tables import QueryTables, aggregate_columns
from windrow.schemas import registry
from windrow.schemas.errors import WrongParameter
from windrow.schemas.feature_set import AGE_S, SUFFIX, TRUE, FeatureSet, Latest, knowledges
from windrow.schemas.stream import Column
from windrow.schemas.tables import Table

_TYPES = {type_: name for name, type_ in ARROW_TYPES.items()}


def feature_table(into: str, labels: pa.Schema, time: str, features: FeatureSet, knowledge: str) -> Table:
    """Raises NotServed and WrongParameter for features that there can't be."""
    of_labels = tuple(_of_label(field, time, features) for field in labels)
    comment = f"Features {features.name} of stream {features.stream} at the moments of labels, a row a label"
    return Table(into, comment, (*of_labels, *feature_columns(features, knowledge)))


def _of_label(field: pa.Field, time: str, features: FeatureSet) -> Column:
    if field.name == time:
        return Column(field.name, "timestamp", "when the label asks, UTC", nullable=False)
    return Column(field.name, _TYPES[field.type], "key" if field.name in features.key else "of the label")


def feature_columns(features: FeatureSet, knowledge: str) -> Iterator[Column]:
    """In the order of FeatureSet.columns."""
    stream = registry.stream(features.stream)
    made = aggregate_columns(features.query, {column.name: column.type for column in stream.columns})
    for each in knowledges(knowledge):
        what = "events that had not arrived by then are among them" if each == TRUE else "as known at the label's time"
        for window in features.windows:
            for column in made:
                meaning = f"{column.meaning}, over the {window} before the label's time; {what}"
                yield Column(f"{column.name}_{window}{SUFFIX[each]}", column.type, meaning)
        for name, asked in features.latest.items():
            yield from _of_rows(name, asked, SUFFIX[each])


def _of_rows(name: str, asked: Latest, suffix: str) -> Iterator[Column]:
    known = {column.name: column for column in QueryTables.of(registry.query(asked.query)).results.columns}
    for column in asked.columns:
        if column not in known:
            raise WrongParameter(f"latest[{name!r}]", column, f"a column of {asked.query}: {', '.join(known)}", known)
        meaning = f"{column} of the newest window of {asked.query}"
        yield Column(f"{name}_{column}{suffix}", known[column].type, meaning)
    yield Column(f"{name}_{AGE_S}{suffix}", "float64", f"how long that window of {asked.query} was over", "s")
