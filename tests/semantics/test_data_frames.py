"""`replay_table` and `late_table` take DataFrames and other tables, and give the rows that they give for Arrow's."""

from datetime import timedelta

import duckdb
import pandas
import polars
import pyarrow as pa
import pytest

import windrow
from tests.support.semantics.queries import MINUTE, ask
from tests.support.semantics.spec_tables import events, table
from windrow.schemas.errors import BadInput, WrongParameter

QUERY = ask(
    windrow.tumbling(10 * MINUTE),
    "arrival",
    aggregates={"trips": windrow.agg("count"), "total": windrow.agg("sum", "value")},
    allowed=timedelta(minutes=1),
)
# The last event is too late: the watermark has passed the end of its window by more than a minute.
EVENTS = table(
    events("""
    key | start | arrival | value
    a   | 10:01 | 10:02   | 1
    b   | 10:02 | 10:03   | 2
    a   | 10:03 | 10:04   | 4
    b   | 10:45 | 10:46   | 8
    a   | 10:04 | 10:47   | 16
    """)
)


class Exported:
    """A table of a library that is known only by Arrow's interface."""

    def __arrow_c_stream__(self, requested_schema=None):
        return EVENTS.__arrow_c_stream__(requested_schema)


TAKEN = {
    "pandas": EVENTS.to_pandas,
    "pandas over Arrow": lambda: EVENTS.to_pandas(types_mapper=pandas.ArrowDtype),
    "pandas with an index of its own": lambda: EVENTS.to_pandas().set_axis(range(5, 10)).sort_index(ascending=False),
    "pandas with the key as its index": lambda: EVENTS.to_pandas().set_index("key"),
    "Polars": lambda: polars.DataFrame(EVENTS),
    "batches": EVENTS.to_reader,
    "an answer": lambda: windrow.Answer(EVENTS),
    "any other": Exported,
}


@pytest.mark.parametrize("made", TAKEN.values(), ids=TAKEN)
def test_the_rows_are_those_of_the_arrow_table(made):
    rows, late = windrow.replay_table(EVENTS, QUERY), windrow.late_table(EVENTS, QUERY)
    assert (rows.num_rows, late.num_rows) == (4, 1)
    assert windrow.replay_table(made(), QUERY).to_pylist() == rows.to_pylist()
    assert windrow.late_table(made(), QUERY).to_pylist() == late.to_pylist()


def test_a_relation_of_duckdb_is_taken():
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        database.register("events", EVENTS)
        relation = database.sql("SELECT * FROM events")
        assert windrow.replay_table(relation, QUERY).equals(windrow.replay_table(EVENTS, QUERY))


def test_categories_are_taken_and_given_back():
    frame = EVENTS.to_pandas().astype({"key": "category"})
    rows = windrow.replay_table(frame, QUERY)
    assert rows["key"].to_pylist() == windrow.replay_table(EVENTS, QUERY)["key"].to_pylist()
    assert rows.to_pandas()["key"].dtype == "category"
    of_polars = polars.DataFrame(EVENTS).cast({"key": polars.Categorical})
    assert windrow.replay_table(of_polars, QUERY)["key"].to_pylist() == rows["key"].to_pylist()


def test_a_missing_value_of_pandas_is_null_and_nan_of_polars_is_none():
    values = [1.0, None, 4.0, 8.0, 16.0]
    with_null = EVENTS.set_column(EVENTS.column_names.index("value"), "value", pa.array(values))
    frame = with_null.to_pandas()
    assert frame["value"].isna().sum() == 1
    assert windrow.replay_table(frame, QUERY).equals(windrow.replay_table(with_null, QUERY))
    with pytest.raises(BadInput, match="row 1: value is NaN"):
        windrow.replay_table(
            polars.DataFrame(with_null).with_columns(polars.col("value").fill_null(float("nan"))), QUERY
        )


@pytest.mark.parametrize(
    "given",
    [{"key": ["a"]}, EVENTS.to_pylist(), "events.parquet", None, polars.DataFrame(EVENTS).lazy()],
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_table_is_refused_with_what_is_taken(given):
    for ask_for in (windrow.replay_table, windrow.late_table):
        with pytest.raises(
            WrongParameter, match=f"events is '{type(given).__name__}'.*DataFrame of pandas or of Polars"
        ):
            ask_for(given, QUERY)


def test_a_column_of_mixed_types_is_named():
    frame = EVENTS.to_pandas().astype({"key": object})
    frame.loc[1, "key"] = 5
    with pytest.raises(BadInput, match="type DataFrame, can't be made a table of Arrow.*column key with type object"):
        windrow.replay_table(frame, QUERY)


def test_a_single_column_is_no_table():
    with pytest.raises(BadInput, match="type ChunkedArray, can't be made a table"):
        windrow.replay_table(EVENTS["value"], QUERY)
    with pytest.raises(BadInput, match="type Series, can't be made a table"):
        windrow.replay_table(polars.Series([1, 2]), QUERY)
