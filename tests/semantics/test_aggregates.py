"""Aggregates with parameters, with two columns and with a type of their own, in a whole replay; and what is refused."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from tests.support.local import replay_table
from tests.support.semantics.queries import MINUTE, ask
from tests.support.semantics.spec_tables import TIMES, at, events, table
from windrow.kernels.monoids import _names_elsewhere, functions
from windrow.pipelines.replay.event_arrays import hashed
from windrow.pipelines.tables.query_tables import aggregate_columns
from windrow.schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter
from windrow.schemas.query import agg, session, sliding, spanning, tumbling

DAY = timedelta(days=1)
# In order of time the values are 3, 1, null, 4, 1, 5; the event at 10:05 arrives before that at 10:04.
STORY = table(
    events("""
    key | start | arrival | value
    a   | 10:01 | 10:02   | 3
    a   | 10:02 | 10:03   | 1
    a   | 10:03 | 10:04   |
    a   | 10:05 | 10:06   | 1
    a   | 10:04 | 10:07   | 4
    a   | 10:06 | 10:08   | 5
    """)
)
SHOPS = ["Ann", "Bob", "Cid", "Eve", "Dan", None]
NUMBERS = [7, 2**64 - 1, 5, 6, 4, 3]
STORY = STORY.append_column("number", pa.array(NUMBERS, pa.uint64()))
STORY = STORY.append_column("open", pa.array([False, None, False, False, True, False]))
STORY = STORY.append_column("ratio", pa.array([0.5, 2.0, 1.0, None, 4.0, -0.0]))
STORY = STORY.append_column("day", pa.array([1, 2, 3, 4, 5, None], pa.date32()))
STORY = STORY.append_column("shop", pa.array(SHOPS))


def final(aggregate, story=STORY, window=None):
    """The answer over all events, as a scalar with its type."""
    query = ask(window or tumbling(DAY), "final", aggregates={"x": aggregate}, allowed=DAY)
    return replay_table(story, query, complete=True)["x"][0]


@pytest.mark.few(26)
@pytest.mark.parametrize(
    ("aggregate", "type_", "value"),
    [
        (agg("std", "value"), pa.float64(), pytest.approx(3.2**0.5)),
        (agg("std", "value", ddof=0), pa.float64(), pytest.approx(2.56**0.5)),
        (agg("variance", "value"), pa.float64(), pytest.approx(3.2)),
        (agg("first", "value"), pa.int64(), 3),
        (agg("last", "value"), pa.int64(), 5),
        (agg("last", "day"), pa.date32(), date(1970, 1, 5)),
        (agg("last", "day", nulls=True), pa.date32(), None),
        (agg("first", "number"), pa.uint64(), 7),
        (agg("last", "ratio"), pa.float64(), 0.0),
        (agg("range", "value"), pa.int64(), 4),
        (agg("product", "value"), pa.int64(), 60),
        (agg("geometric_mean", "ratio"), pa.float64(), 0.0),
        (agg("argmin", "value"), TIMES, at("10:02")),
        (agg("argmax", "value"), TIMES, at("10:06")),
        (agg("argmin", "value", "number"), pa.uint64(), 2**64 - 1),
        (agg("argmax", "value", "open"), pa.bool_(), False),
        (agg("argmax", "value", "start"), TIMES, at("10:06")),
        (agg("argmin", "value", "ratio"), pa.float64(), 2.0),
        (agg("min_count", "value"), pa.int64(), 2),
        (agg("max_count", "value"), pa.int64(), 1),
        (agg("rate", "value"), pa.float64(), pytest.approx(2 / 300)),
        (agg("any", "open"), pa.bool_(), True),
        (agg("all", "open"), pa.bool_(), False),
        (agg("any", "ratio"), pa.bool_(), True),
        (agg("approx_distinct", "value"), pa.int64(), 4),
        (agg("approx_distinct", "value", precision=14), pa.int64(), 4),
        (agg("approx_quantile", "value", q=0.25), pa.int64(), 1),
        (agg("bloom", "value", contains=4, bits=128), pa.bool_(), True),
        (agg("first", "shop"), pa.string(), "Ann"),
        (agg("last", "shop"), pa.string(), "Eve"),
        (agg("min", "shop"), pa.string(), "Ann"),
        (agg("max", "shop"), pa.string(), "Eve"),
        (agg("max_count", "shop"), pa.int64(), 1),
        (agg("approx_distinct", "shop"), pa.int64(), 5),
        (agg("argmax", "value", "shop"), pa.string(), "Dan"),
        (agg("argmin", "shop", "value"), pa.int64(), 3),
        (agg("longest_run", "value"), pa.int64(), 2),
        (agg("longest_run_start", "value"), TIMES, at("10:02")),
        (agg("longest_run_end", "value"), TIMES, at("10:04")),
    ],
    ids=str,
)
def test_an_aggregate_has_its_value_and_its_type(aggregate, type_, value):
    found = final(aggregate)
    assert (found.type, found.as_py()) == (type_, value)


@pytest.mark.parametrize(
    "type_", [pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.string_view()], ids=str
)
def test_strings_are_of_any_type_of_arrow(type_):
    place = STORY.column_names.index("shop")
    story = STORY.set_column(place, "shop", STORY["shop"].cast(type_))
    assert [final(agg(function, "shop"), story).as_py() for function in ("min", "last")] == ["Ann", "Eve"]
    none = STORY.set_column(place, "shop", pa.nulls(6, pa.string()).cast(type_))
    assert [final(agg(function, "shop"), none).as_py() for function in ("max", "approx_distinct")] == [None, 0]


def test_the_same_strings_have_the_same_approximate_number_whatever_others_there_are():
    shops = [f"shop {number}" for number in range(3_000)]
    alone, among_others = (hashed(pa.chunked_array([shops + more])) for more in ([], ["a", "zz"]))
    assert np.array_equal(alone, among_others[:3_000]) and len(set(alone.tolist())) == 3_000


def test_days_that_go_on_from_each_other_carry_no_string():
    columns = {"key": "string", "shop": "string"}
    for aggregate in (agg("last", "shop"), agg("min", "shop"), agg("argmin", "shop")):
        with pytest.raises(
            NotServed, match="go on from each other, '(last|min|argmin)' isn't supported.* approx_distinct, count"
        ):
            aggregate_columns(ask(session(DAY), aggregates={"x": aggregate}), columns)
    served = {"x": agg("approx_distinct", "shop"), "y": agg("count", "shop")}
    assert [each.type for each in aggregate_columns(ask(session(DAY), aggregates=served), columns)] == ["int64"] * 2
    assert final(agg("last", "shop"), window=session(DAY)).as_py() == "Eve"  # in memory nothing is carried


def test_parameters_distinguish_aggregates_and_windows_go_on():
    query = ask(
        sliding(4 * MINUTE, 2 * MINUTE),
        "arrival",
        allowed=DAY,
        aggregates={
            "sample": agg("std", "value"),
            "all": agg("std", "value", ddof=0),
            "first": agg("first", "value"),
            "runs": agg("longest_run", "value"),
            "distinct": agg("approx_distinct", "value"),
        },
    )
    rows = [row for row in replay_table(STORY, query).to_pylist() if row["window_start"] == at("10:02")]
    assert [row["distinct"] for row in rows] == [1, 1, 1, 2]
    assert (rows[0]["sample"], rows[0]["all"], rows[-1]["first"], rows[-1]["runs"]) == (None, 0.0, 1, 2)


@pytest.mark.parametrize(
    ("aggregate", "message"),
    [
        (agg("std", "value", degrees=1), r"aggregates\['x'\] is 'std with a parameter degrees'; allowed: ddof"),
        (agg("std", "value", ddof=True), r"aggregates\['x'\] is 'std with ddof=True'; allowed: an integer from 0 to 1"),
        (agg("std", "value", ddof=2), r"aggregates\['x'\] is 'std with ddof=2'; allowed: an integer from 0 to 1"),
        (agg("bloom", "value", bits=100), r"aggregates\['x'\] is 'bloom with bits=100'; allowed: a multiple of 64"),
        (agg("approx_quantile", "value", q=1.5), r"aggregates\['x'\] is 'approx_quantile with q=1.5'"),
        (agg("range", "shop"), r"aggregates\['x'\] is 'range over shop of type string'; allowed: int64, float64"),
        (agg("sum", "value", "number"), r"\['x'\] is 'sum with second column number of type uint64'; allowed: none"),
        (agg("argmin", "value", "colour"), r"column is 'colour'; allowed: .*start, end, arrival, seq, key, value"),
        (agg("argmin", "value", "number", "open"), r"aggregates\['x'\] is .*; allowed: at most two columns"),
        (agg("any", "shop"), r"aggregates\['x'\] is 'any over shop of type string'; allowed: bool, int64, float64"),
        (agg("rate"), r"aggregates\['x'\] is 'rate over no column'; allowed: int64, float64"),
        (agg("sum", "shop"), "sum over shop of type string"),
        (agg("mean", "start"), "mean over start of type timestamp"),
        (agg("count", ddof=1), "count with a parameter ddof'; allowed: none"),
    ],
    ids=str,
)
def test_what_is_wrong_is_reported_in_the_words_of_the_query(aggregate, message):
    with pytest.raises(WrongParameter, match=message):
        final(aggregate)


@pytest.mark.parametrize(
    ("aggregate", "meant"),
    [
        (agg("maen", "value"), "mean"),
        (agg("AVG", "value"), "mean"),
        (agg("stddev_samp", "value"), "std"),
        (agg("approx_count_distinct", "value"), "approx_distinct"),
        (agg("max", "valeu"), "value"),
    ],
    ids=str,
)
def test_a_name_that_there_is_not_is_answered_with_the_one_that_was_meant(aggregate, meant):
    with pytest.raises(WrongParameter, match=rf"Did you mean '{meant}'\?"):
        final(aggregate)


def test_every_suggestion_is_an_aggregate():
    assert set(_names_elsewhere._BY_NAME.values()) <= set(functions())
    assert not set(_names_elsewhere._BY_NAME) & set(functions())


def test_what_has_no_answer_is_an_error():
    with pytest.raises(AggregateFailed, match="geometric_mean .*holds a negative value, which has no geometric mean"):
        final(agg("geometric_mean", "loss"), STORY.append_column("loss", pa.array([-1.0] * 6)))
    with pytest.raises(BadInput, match="row 1: number is 18446744073709551615, beyond int64"):
        final(agg("argmin", "number"))


def test_spanning_windows_take_what_commutes():
    window = spanning(DAY, DAY, longest=DAY)
    assert final(agg("argmin", "value"), window=window).as_py() == at("10:02")
    with pytest.raises(NotServed, match="first"):
        final(agg("first", "value"), window=window)
