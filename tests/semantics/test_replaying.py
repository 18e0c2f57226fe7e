"""What the Spark stage needs beyond `replay_table`: order of arrival by path, line and reading, pass ticks, columns."""

import math

import numpy as np
import pyarrow as pa
import pytest

from tests.support.semantics.queries import MINUTE, ask
from tests.support.semantics.spec_tables import events, table
from windrow.pipelines.replay.events_by_key import EventsOfKeys, QueryEvents
from windrow.pipelines.replay.replay_events import late_events, replay_events
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.replay.watermark import ticks_of_events
from windrow.pipelines.tables.query_tables import aggregate_columns
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import agg, rolling, tumbling

TEN = tumbling(10 * MINUTE)
STORY = table(
    events("""
    key | start | arrival | value
    a   | 10:35 | 10:36   | 1
    a   | 10:01 | 10:37   | 2
    a   | 10:02 | 10:37   | 4
    a   | 10:03 | 10:37   | 8
    a   | 10:04 | 10:37   | 16
    """)
)
PLACES = {"path": ["x", "b", "B", "é", "b"], "line": [1, 9, 2, 1, 10], "reading": [0, 0, 1, 0, 0]}
BY_PLACE = STORY.drop_columns(["seq"])
for _name, _values in PLACES.items():
    BY_PLACE = BY_PLACE.append_column(_name, pa.array(_values))
STEPS = ticks_of_events(*(np.asarray(STORY[name].combine_chunks().view(pa.int64())) for name in ("arrival", "start")))


def test_events_of_a_tick_arrive_by_path_as_bytes_then_line_and_reading_as_numbers():
    late = late_events(EventsOfKeys.of(BY_PLACE, ask(TEN)), [ServedQuery.of(ask(TEN))], STEPS)
    assert late.column_names[1:7] == ["start", "end", "arrival", "path", "line", "reading"]
    assert list(zip(late["path"].to_pylist(), late["line"].to_pylist(), strict=True)) == [
        ("B", 2),
        ("b", 9),
        ("b", 10),
        ("é", 1),
    ]


def test_seq_and_place_give_the_same_rows():
    query = ask(rolling(10 * MINUTE), "arrival", allowed=60 * MINUTE)
    by_place, story = (QueryEvents.of(events, query) for events in (BY_PLACE, STORY))
    parts = [ServedQuery.of(query)]
    assert replay_events(by_place, parts, STEPS).rows.equals(replay_events(story, parts, STEPS).rows)


def test_pass_ticks_are_the_ticks_that_raise_the_newest_start():
    ticks = ticks_of_events(np.array([30, 10, 20, 20, 40]), np.array([7, 5, 3, 9, 9]))
    assert ticks.tick_us.tolist() == [10, 20]
    assert ticks.newest_start_us.tolist() == [5, 9]
    nothing = ticks_of_events(np.array([], np.int64), np.array([], np.int64))
    assert (nothing.tick_us.tolist(), nothing.newest_start_us.tolist()) == ([], [])


def test_the_columns_of_a_querys_table_have_the_types_of_its_rows():
    aggregates = {"rows": agg("count"), "middle": agg("mean", "value"), "first_start": agg("min", "start")}
    columns = aggregate_columns(ask(TEN, aggregates=aggregates), {"value": "int64", "start": "timestamp"})
    types = {"rows": "int64", "middle": "float64", "first_start": "timestamp"}
    assert {column.name: column.type for column in columns} == types and all(column.meaning for column in columns)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("most_rows", rows) for rows in (0, -1, 2.5, True, "1", (1 << 60) + 1)),
        *(("most_seconds", seconds) for seconds in (0, -1, True, "1", math.nan, math.inf, 10**9 + 1)),
    ],
)
def test_a_limit_that_can_not_be_is_refused_with_what_is_allowed(option, value):
    with pytest.raises(WrongParameter, match=f"{option} is .*; allowed: a (whole )?number of "):
        replay_events(QueryEvents.of(STORY, ask(TEN)), [ServedQuery.of(ask(TEN))], STEPS, options={option: value})
