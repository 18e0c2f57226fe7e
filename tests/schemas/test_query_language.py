"""All window kinds can be written; a value that can't be meant is refused with what is allowed."""

from datetime import UTC, date, datetime, time, timedelta

import pytest

from tests.contracts.test_rules import of_the_language
from windrow.schemas import query as language
from windrow.schemas.errors import WrongParameter
from windrow.schemas.model import Model, heavy
from windrow.schemas.query import Query, agg, rolling, session, sliding, spanning, tumbling
from windrow.schemas.spelling import shown
from windrow.schemas.windows import Policy

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
RIGHT = {
    "name": "q", "stream": "bikes", "key": ("start_station_id",), "window": tumbling(DAY),
    "aggregates": {"trips": agg("count")}, "lateness": HOUR, "allowed_lateness": DAY,
}  # fmt: skip


def question(**changes) -> Query:
    """A query that is right but for the changes."""
    return Query(**{**RIGHT, **changes})


WINDOWS = {"hour": tumbling(HOUR), "day": sliding(DAY, HOUR)}
SEVERAL = {**RIGHT, "window": None, "windows": WINDOWS}
NUMBERS = ("5", None, True, float("nan"), float("inf"), 10**400)
PARAMETERS = [each for each in NUMBERS if each is not True]  # some are truths
ABOVE_ZERO = (*NUMBERS, 0, -0.5)
COUNTS = ("5", None, True, 2.5, 0, -1)
LENGTHS = (3_600, "1 hour", None, timedelta(0), -HOUR)
WAITS = (3_600, "1 hour", None, -HOUR)
ORIGINS = ("2018-01-01", 0, date(2018, 1, 1), datetime(2018, 1, 1))
NAMES = ("", 5, None, ["a"])
NOT_NEW = ("start_station_id", "late_events", "A!", 5)
REGULAR = {"size": DAY, "slide": HOUR}
LOCAL = {"size": DAY, "zone": "America/New_York"}
DELTA = {"column": "a", "extent": 2.0, "threshold": 1.0}
THRESHOLD = {"column": "a", "at_least": 600}
# Of each constructor: what is right, and for each parameter what can't be meant.
REFUSED = [
    (tumbling, {"size": DAY}, {"size": LENGTHS, "origin": ORIGINS, "zone": ("America/New_Amsterdam", "", 5, ["UTC"])}),
    (tumbling, LOCAL, {"size": (timedelta(hours=36), timedelta(hours=7)),
                       "origin": (datetime(2018, 1, 1, 6, tzinfo=UTC), time(6), "06:00", 0)}),
    (sliding, REGULAR, {"size": LENGTHS, "slide": LENGTHS, "origin": ORIGINS}),
    (sliding, {**LOCAL, "slide": HOUR}, {"slide": (timedelta(hours=7), timedelta(seconds=7))}),
    (spanning, REGULAR, {"size": LENGTHS, "slide": LENGTHS, "origin": ORIGINS, "longest": LENGTHS,
                         "attribution": ("share", None)}),
    (language.month, {}, {"months": (*COUNTS, 1_201), "zone": ("America/New_Amsterdam", 5, None),
                          "origin": (date(2024, 1, 2), datetime(2018, 1, 1, tzinfo=UTC), "May")}),
    (language.week, {}, {"zone": ("America/New_Amsterdam", "", 5, None)}),
    (rolling, {"size": HOUR}, {"size": LENGTHS, "closed": ("both", "neither", None, 1)}),
    (session, {"gap": HOUR}, {"gap": (3_600, "", None, timedelta(0), -HOUR), "unit": (HOUR,)}),
    (session, {"gap": "timeout_s", "unit": HOUR}, {"gap": (3_600, None, ""), "unit": (*LENGTHS, 36_501 * DAY)}),
    (language.count, {"size": 10, "step": 1}, {"size": COUNTS, "step": COUNTS, "order": ("size", None, 1)}),
    (language.delta, DELTA, {"column": NAMES, "extent": ABOVE_ZERO, "threshold": ABOVE_ZERO}),
    (language.slide_by_tuple, {"size": HOUR, "step": 10}, {"size": LENGTHS, "step": COUNTS}),
    (Policy, {"name": "newest"}, {"name": NAMES, "parameters": (5, ["a"], (("a", 1, 2),), ((1, 2),), (("a", [1]),))}),
    (language.frame.threshold, THRESHOLD, {"column": NAMES, "at_least": NUMBERS, "min_count": COUNTS,
                                           "min_duration": WAITS}),
    (language.frame.delta, {"column": "a", "change": 60}, {"column": NAMES, "change": ABOVE_ZERO}),
    (language.frame.aggregate, {"function": "sum", "column": "a", "bound": 3_600},
     {"function": NAMES, "column": NAMES, "bound": NUMBERS}),
    (language.frame.boundary, {"column": "a", "width": 60}, {"column": NAMES, "width": ABOVE_ZERO, "offset": NUMBERS}),
    (agg, {"function": "std"}, {"function": (5, None, ["std"]), "ddof": PARAMETERS}),
    (Query, SEVERAL, {
        "window": (tumbling(DAY), DAY),
        "windows": ({}, [tumbling(DAY)], tumbling(DAY), {"Hour": tumbling(HOUR)}, {5: tumbling(HOUR)},
                    {**WINDOWS, "shares": spanning(DAY, HOUR, attribution="prorated")}),
        "key": (("window_name",),),
        "aggregates": ({"window_name": agg("count")},),
    }),
    (Query, RIGHT, {
        "name": ("Bikes!", "", 5, None),
        "stream": (5, None),
        "key": ("start_station_id", ["a"], ("a", "a"), (5,), (["a"],), ("revision",), None),
        "window": (DAY, None, tumbling),
        "emit": ("later", None, ["final"]),
        "lateness": WAITS,
        "allowed_lateness": WAITS,
        "aggregates": (agg("count"), None, *({name: agg("count")} for name in NOT_NEW)),
        "where": (5, "a == ", "", (("user_type", "="),), (("user_type", "=", "customer"),),
                  (("user_type", "in", "customer"),), ((5, "==", 1),), ("user_type", "==", "customer")),
    }),
]  # fmt: skip
MISTAKES = [
    pytest.param(make, right, parameter, value, id=f"{make.__name__}-{parameter}-{number}")
    for make, right, wrong in REFUSED
    for parameter, values in wrong.items()
    for number, value in enumerate(values)
]


@pytest.mark.parametrize(("make", "right", "parameter", "value"), MISTAKES)
def test_what_cannot_be_meant_is_refused_with_parameter_value_and_what_is_allowed(make, right, parameter, value):
    make(**right)
    with pytest.raises(WrongParameter) as refused:
        make(**{**right, parameter: value})
    assert refused.value.parameter == parameter
    assert str(refused.value) == f"{parameter} is {shown(refused.value.value)}; allowed: {refused.value.allowed}"


def test_an_aggregate_that_was_not_made_by_agg_and_a_column_that_is_no_name_are_refused():
    with pytest.raises(WrongParameter, match=r"aggregates\['trips'\] is 'count'; allowed: agg"):
        question(aggregates={"trips": "count"})
    with pytest.raises(WrongParameter, match="column is 5; allowed: the name of a column"):
        agg("sum", 5)


def test_each_of_several_windows_follows_from_times_alone():
    for name, wrong, why in (
        ("busy", session(HOUR), "is 'session'; allowed: .*; ask this one in a query of its own, by `window`"),
        ("last", language.count(5, 1), "is 'count'; allowed: "),
        ("hour", HOUR, "is 1 hour; allowed: a window such as"),
    ):
        with pytest.raises(WrongParameter, match=rf"windows\['{name}'\] {why}"):
            question(window=None, windows={**WINDOWS, name: wrong})


def test_a_query_has_as_many_windows_as_are_allowed_and_no_more():
    many = {f"w{number}": tumbling(HOUR) for number in range(language.MOST_WINDOWS + 1)}
    with pytest.raises(WrongParameter, match=f"a dict of 1 to {language.MOST_WINDOWS} names and windows"):
        question(window=None, windows=many)
    many.popitem()
    assert [*question(window=None, windows=many).parts] == [*many]


def test_several_windows_are_queries_of_one_each_and_their_names_part_of_what_a_row_is_of():
    asked = question(window=None, windows=WINDOWS)
    assert asked.parts == {name: question(window=window) for name, window in WINDOWS.items()}
    assert asked.window_identity == ("start_station_id", "window_name", "window_start", "window_end")
    assert question().parts == {None: question()}
    assert question().window_identity == ("start_station_id", "window_start", "window_end")


def test_a_model_has_one_window():
    right = {**RIGHT, "aggregates": {}, "function": heavy("quantiles", "trip_duration_s", q=(0.5,))}
    Model(**right)
    with pytest.raises(WrongParameter, match="windows is .*; allowed: None: a model has one window"):
        Model(**{**right, "window": None, "windows": WINDOWS})


def test_a_state_of_sessions_with_a_fixed_gap_is_known_by_the_text_that_it_had_before_gaps_were_columns():
    assert repr(session(HOUR)) == "Session(gap=datetime.timedelta(seconds=3600))"
    assert repr(session("a", HOUR)) == "Session(gap='a', unit=datetime.timedelta(seconds=3600))"


def test_every_constructor_of_a_window_is_tried_with_what_cannot_be_meant():
    assert {make for make, *_ in REFUSED} >= {*of_the_language()}


def test_a_query_knows_the_columns_that_it_reads_in_order_and_once():
    aggregates = {"a": agg("max", "bike_id"), "b": agg("sum", "trip_duration_s"), "c": agg("min", "bike_id")}
    asked = question(aggregates=aggregates, where=(("user_type", "==", "customer"), ("start", ">", 0)))
    assert [value.value for value in asked.values] == ["bike_id", "trip_duration_s"]
    assert asked.read_columns == ("start_station_id", "bike_id", "trip_duration_s", "user_type")
