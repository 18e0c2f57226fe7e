"""`where`: all conditions must hold, a comparison with null is false, numbers compare exactly."""

from datetime import UTC, date, datetime, time, timedelta, timezone

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.support.oracle import history
from tests.support.semantics.queries import ask
from windrow.pipelines.replay.expressions import counted_rows
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import tumbling

BIG = 2**53
INTEGERS = (pa.int64(), [0, 1, 2, None, -3, BIG, BIG + 1])
FLOATS = (pa.float64(), [0.0, -0.0, 0.1, 1.5, None, float(BIG), float("inf")])
TEXTS = (pa.string(), ["a", "B", "é", "\U0001f6b2", "￿", "", None])
MOMENT = datetime(2024, 3, 1, 10, tzinfo=UTC)
SECONDS = (pa.timestamp("s", tz="America/New_York"), [MOMENT, MOMENT + timedelta(seconds=1), None])
DATES = (pa.date32(), [date(2024, 2, 29), date(2024, 3, 1), None])
BOOLS = (pa.bool_(), [True, False, None])
COLUMNS = [
    (INTEGERS, [1, 1.5, -0.5, True + 0.0, BIG + 1, float(BIG), 2**70, -(2**70), float("inf"), np.int64(2), None]),
    ((pa.uint64(), [0, 2**63, 2**64 - 1, None]), [2**63, -1, 2**64, 2.0**63, 0.5]),
    ((pa.int8(), [-128, 127, None]), [127, 128, -129, 126.5]),
    (FLOATS, [0, 0.1, BIG, BIG + 1, 10**400, -(10**400), float("inf"), 1.5]),
    ((pa.float32(), [0.5, 0.25, None, 16777216.0]), [0.5, 0.1, 16777217]),
    (TEXTS, ["a", "z", "", "￿", "é"]),
    ((pa.large_string(), ["a", "b", None]), ["a"]),
    ((pa.dictionary(pa.int8(), pa.string()), ["a", "b", None, "a"]), ["a", "b"]),
    ((pa.binary(), [b"a", b"\xff", None]), [b"a", b"\xfe"]),
    (SECONDS, [MOMENT, MOMENT + timedelta(milliseconds=500), MOMENT.astimezone(timezone(timedelta(hours=5)))]),
    (
        (pa.timestamp("us"), [datetime(2024, 3, 1), None]),
        [datetime(2024, 3, 1), pd.Timestamp(2024, 3, 1, nanosecond=1)],
    ),
    (DATES, [date(2024, 3, 1), date(1969, 12, 31)]),
    ((pa.date64(), [date(2024, 3, 1), None]), [date(2024, 3, 1)]),
    ((pa.time64("us"), [time(10), None]), [time(9, 30)]),
    ((pa.duration("s"), [timedelta(seconds=90), None]), [pd.Timedelta(seconds=90, nanoseconds=1)]),
    (BOOLS, [True, False]),
    ((pa.null(), [None, None]), ["a"]),
]
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
CASES = [(column, value, operator) for column, values in COLUMNS for value in values for operator in COMPARISONS]


def passing(column: pa.Array, operator: str, value: object) -> list[bool]:
    query = ask(tumbling(timedelta(hours=1)), where=(("x", operator, value),))
    return counted_rows(pa.table({"x": column}), query).tolist()


@pytest.mark.parametrize(
    ("column", "value", "operator"),
    CASES,
    ids=[f"{column[0]}{operator}{value!r}"[:60] for column, value, operator in CASES],
)
def test_a_comparison_is_that_of_the_exact_values(column, value, operator):
    type_, values = column
    array = pa.array(values, type_)
    expected = [history.passes({"x": each}, (("x", operator, value),)) for each in array.to_pylist()]
    assert passing(array, operator, value) == expected


@pytest.mark.parametrize("values", [(1, BIG), (), (1.5,), (1, None), (None,), (2**70, 0)])
@pytest.mark.parametrize("operator", ["in", "not_in"])
def test_membership_is_equality_with_any_and_nulls_are_in_nothing(operator, values):
    array = pa.array(INTEGERS[1], INTEGERS[0])
    expected = [history.passes({"x": each}, (("x", operator, values),)) for each in array.to_pylist()]
    assert passing(array, operator, values) == expected


def test_chunks_and_slices_make_no_difference():
    chunked = pa.chunked_array([[1, 2], [], [3, None]]).slice(1)
    assert passing(chunked, ">=", 2) == [True, True, False]


@pytest.mark.parametrize("column", [pa.array([1, None]), pa.array([None, None]), pa.array([[1], None])])
def test_is_null_and_not_null_ask_any_column(column):
    null = [value is None for value in column.to_pylist()]
    assert passing(column, "is_null", None) == null
    assert passing(column, "not_null", None) == [not each for each in null]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (pa.array([1]), "1"),
        (pa.array(["1"]), 1),
        (pa.array([1]), True),
        (pa.array([True]), 1),
        (pa.array([1.0]), float("nan")),
        (pa.array([MOMENT]), MOMENT.replace(tzinfo=None)),
        (pa.array([datetime(2024, 3, 1)]), MOMENT),
        (pa.array([date(2024, 3, 1)]), datetime(2024, 3, 1)),
        (pa.array([b"a"]), "a"),
        (pa.array([[1]]), 1),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_column_and_its_type(column, value):
    with pytest.raises(WrongParameter, match="where is .*column 'x' of type"):
        passing(column, "==", value)
    with pytest.raises(WrongParameter, match="column 'x' of type"):
        passing(column, "in", (value,))
