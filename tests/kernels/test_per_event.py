"""An answer after each event equals that of a plain list, whichever kernel gives it, and the choice follows from the
events."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernels.columns import columns_of, in_steps
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.per_event import KeyedEvents, answer_each, answer_per_event
from windrow.kernels.per_event.entry import FEW
from windrow.schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter
from windrow.schemas.query import agg

COMMUTATIVE = (AggregateSpec("sum", 0), AggregateSpec("max", 0), AggregateSpec("count", 0))
ORDERED = (AggregateSpec("last", 0), AggregateSpec("count"))
EVENT = st.tuples(st.integers(0, 4), st.integers(0, 30), st.integers(-9, 9) | st.none())  # step, late by, value


def keyed(keys) -> KeyedEvents:
    """Columns of lists of (time, value), one list a key."""
    columns = columns_of(*([(time, time, value) for time, value in key] for key in keys))
    return KeyedEvents(columns.key_offsets, columns.start_us, columns.values, columns.valid)


def plain_answers(rows, size, answer) -> list:
    """What an answer makes of the values, null ones too, of the window after each event, by time and arrival."""
    found = []
    for place in range(len(rows)):
        seen = [(time, number, value) for number, (time, value) in enumerate(rows[: place + 1])]
        youngest = max(time for time, _, _ in seen)
        found.append(answer([value for time, _, value in sorted(seen) if youngest - size < time]))
    return found


def commutative(window: list) -> tuple:
    values = [value for value in window if value is not None]
    return sum(values) if values else None, max(values, default=None), len(values)


def ordered(window: list) -> tuple:
    values = [value for value in window if value is not None]
    return values[-1] if values else None, len(window)


def answer_at(answers, event) -> tuple:
    return tuple(
        None if null else int(word)
        for word, null in zip(answers.outputs[:, event], answers.null[:, event], strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("kernel", [None, "finger_tree", "sorted_stacks"])
@given(steps=st.lists(st.lists(EVENT, max_size=200), min_size=1, max_size=3), size=st.sampled_from([1, 3, 20, 500]))
def test_each_answer_is_that_of_a_plain_list(kernel, steps, size):
    keys = [[(start, value) for start, _, value in in_steps(key)] for key in steps]
    answers = answer_per_event(keyed(keys), size, COMMUTATIVE, kernel)
    wanted = [answer for rows in keys for answer in plain_answers(rows, size, commutative)]
    assert [answer_at(answers, event) for event in range(len(wanted))] == wanted


@given(steps=st.lists(EVENT, max_size=200), size=st.sampled_from([1, 3, 20, 500]))
def test_aggregates_that_depend_on_order_take_late_events_in_their_place(steps, size):
    late = in_steps([(step, late_by if late_by > 20 else 0, value) for step, late_by, value in steps])
    rows = [(start, value) for start, _, value in late]
    answers = answer_per_event(keyed([rows]), size, ORDERED)
    assert [answer_at(answers, event) for event in range(len(rows))] == plain_answers(rows, size, ordered)


@given(steps=st.lists(st.tuples(st.sampled_from("abc"), EVENT), max_size=60), size=st.sampled_from([1, 3, 20]))
def test_named_answers_come_in_the_order_of_the_events_of_all_keys(steps, size):
    asked = {"total": agg("sum", "x"), "most": agg("max", "x"), "values": agg("count", "x")}
    keys, rows = (
        [key for key, _ in steps],
        [(start, value) for start, _, value in in_steps([each for _, each in steps])],
    )
    times, values = ([row[place] for row in rows] for place in range(2))
    answers = answer_each(keys, times, {"x": values, "unread": None}, size, asked, {"x": "int64"})
    of_key = {key: [row for each, row in zip(keys, rows, strict=True) if each == key] for key in keys}
    plain = {key: iter(plain_answers(of, size, commutative)) for key, of in of_key.items()}
    assert list(zip(*answers.values(), strict=True)) == [next(plain[key]) for key in keys]


def test_named_answers_need_the_columns_that_they_read_and_a_key_each():
    with pytest.raises(WrongParameter, match="a dict with the columns x"):
        answer_each(["a"], [1], {"y": [2]}, 5, {"total": agg("sum", "x")})
    with pytest.raises(BadInput, match="1 keys for 2 times"):
        answer_each(["a"], [1, 2], {}, 5, {"events": agg("count")})
    with pytest.raises(WrongParameter, match="aggregates"):
        answer_each(["a"], [1], {}, 5, {"events": "count"})


def one_key(time) -> KeyedEvents:
    return KeyedEvents(np.array([0, len(time)]), time, time[None, :], np.ones((1, len(time)), np.bool_))


@pytest.mark.parametrize("late_by", [2, 1000])
def test_a_long_key_whose_windows_are_longer_than_it_is_late_takes_sorted_stacks(late_by):
    time = np.arange(2 * FEW)
    time[1::2] -= late_by
    chosen, treed = (
        answer_per_event(one_key(time), 4 * late_by, COMMUTATIVE, kernel) for kernel in (None, "finger_tree")
    )
    assert chosen.kernels == ("sorted_stacks",)
    assert (chosen.outputs == treed.outputs).all() and (chosen.null == treed.null).all()
    assert answer_per_event(one_key(time[:FEW]), 4 * late_by, COMMUTATIVE).kernels == ("finger_tree",)
    sketch = (AggregateSpec("approx_quantile", 0),)
    assert answer_per_event(one_key(time), 4 * late_by, sketch).kernels == ("finger_tree",)


def test_a_long_key_whose_windows_are_as_long_as_it_is_late_takes_the_tree():
    time = np.arange(2 * FEW)
    time[1::2] -= 1000
    assert answer_per_event(one_key(time), 1000, COMMUTATIVE).kernels == ("finger_tree",)


def test_the_kernel_follows_from_the_events_of_a_key_alone():
    in_order = [(time, 1) for time in range(50)]
    late = [*in_order, (3, 1)]
    assert answer_per_event(keyed([in_order, late, []]), 10, COMMUTATIVE).kernels == (
        "two_stacks_lite",
        "finger_tree",
        "two_stacks_lite",
    )


def test_extreme_disorder_takes_sorted_stacks_unless_order_matters():
    time, size = np.arange(1 << 18), 1 << 17
    time[1::2] -= np.random.default_rng(5).integers(0, size // 2, 1 << 17)  # half as late as a window is long
    events = one_key(time)
    chosen, treed = (answer_per_event(events, size, COMMUTATIVE, kernel) for kernel in (None, "finger_tree"))
    assert (chosen.kernels, treed.kernels) == (("sorted_stacks",), ("finger_tree",))
    assert (chosen.outputs == treed.outputs).all() and (chosen.null == treed.null).all()
    assert answer_per_event(events, size, ORDERED).kernels == ("finger_tree",)


def test_floats_are_read_by_their_bits():
    values = np.array([[0.5, 0.25, -0.75]])
    events = KeyedEvents(np.array([0, 3]), np.array([1, 2, 3]), values.view(np.int64), np.ones((1, 3), np.bool_))
    answers = answer_per_event(events, 2, (AggregateSpec("sum", 0, "float64"),))
    assert answers.outputs.view(np.float64).tolist() == [[0.5, 0.75, -0.5]]
    assert answers.output_types == ("float64",)


def test_what_is_wrong_is_reported():
    late = keyed([[(5, 1), (3, 1)]])
    with pytest.raises(BadInput, match="events of key 0 are out of order, which two_stacks_lite doesn't take"):
        answer_per_event(late, 10, COMMUTATIVE, "two_stacks_lite")
    with pytest.raises(NotServed, match="sorted_stacks"):
        answer_per_event(late, 10, COMMUTATIVE, "splay")
    with pytest.raises(WrongParameter, match="commute"):
        answer_per_event(late, 10, ORDERED, "sorted_stacks")
    for size in (0, -1, 1.5, True):
        with pytest.raises(WrongParameter, match="size_us"):
            answer_per_event(late, size, COMMUTATIVE)
    with pytest.raises(WrongParameter, match="column of sum is 1; allowed: 0 to 0"):
        answer_per_event(late, 10, (AggregateSpec("sum", 1),))
    with pytest.raises(BadInput, match="time of event 1"):
        answer_per_event(late._replace(time_us=np.array([0, 1 << 62])), 10, COMMUTATIVE)
    with pytest.raises(BadInput, match="key_offsets"):
        answer_per_event(late._replace(key_offsets=np.array([0, 1])), 10, COMMUTATIVE)
    big = keyed([[(1, 2**63 - 1), (2, 2**63 - 1)]])
    with pytest.raises(AggregateFailed, match="sum of column 0 after event 1 is beyond int64"):
        answer_per_event(big, 10, (AggregateSpec("sum", 0),))
