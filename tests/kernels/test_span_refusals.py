"""What objects of span kernels refuse: what they don't serve, times and windows that are none, words of others."""

import numpy as np
import pytest

from tests.kernels.test_spans import BOTH, COUNT, DAY, FIFTEEN_BY_FIVE, SERVED, US, WAYS
from windrow.kernels import spans
from windrow.kernels.monoid import SHARE, AggregateSpec
from windrow.kernels.monoids import every_monoid, in_words
from windrow.kernels.spans._window import MOST_PIECES
from windrow.schemas.errors import BadInput, NotServed, WrongParameter
from windrow.schemas.query import agg, spanning, tumbling

REFUSED = {
    "kernel": (("finger_tree", FIFTEEN_BY_FIVE, COUNT), {}, NotServed, "kernel 'finger_tree'.*se_slicing"),
    "window": (("se_slicing", tumbling(US), COUNT), {}, WrongParameter, "window is .*one whose events last"),
    **{
        attribution: (
            ("se_slicing", spanning(15 * US, 5 * US, longest=DAY, attribution=attribution), COUNT),
            {},
            WrongParameter,
            f"{attribution}.*one of whole events",
        )
        for attribution in ("prorated", "start", "end")
    },
    "option": (("se_slicing", FIFTEEN_BY_FIVE, COUNT), {"height": 2}, WrongParameter, "options is 'height'"),
    "no height": (
        ("se_ml_slicing", FIFTEEN_BY_FIVE, COUNT),
        {"height": 0},
        WrongParameter,
        "height is 0; .* 1 to 1024",
    ),
    "too high": (("se_ml_slicing", FIFTEEN_BY_FIVE, COUNT), {"height": 1025}, WrongParameter, "height is 1025"),
    "order": (("se_slicing", FIFTEEN_BY_FIVE, {"x": agg("first", "v")}), {}, NotServed, "windows 'first'"),
    "selects": (("cumulative_sweeping", FIFTEEN_BY_FIVE, {"x": agg("max", "v")}), {}, NotServed, "'max of float64"),
    "floats": (("cumulative_sweeping", FIFTEEN_BY_FIVE, {"x": agg("sum", "v")}), {}, NotServed, "'sum of float64"),
    "cumulates": (
        ("selective_sweeping", FIFTEEN_BY_FIVE, {"x": agg("sum", "v")}),
        {},
        NotServed,
        "'sum of float64'.*: argmax.*, argmin.*, max, min",
    ),
    "aggregates": (("se_slicing", FIFTEEN_BY_FIVE, {"x": 3}), {}, WrongParameter, "aggregates is"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_served_is_refused_by_name(case):
    arguments, options, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        spans.make(*arguments, **options)


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "options"), WAYS, ids=str)
def test_after_an_eviction_late_events_count_where_they_may_and_gone_windows_are_refused(kernel, options):
    aggregates = {name: BOTH[name] for name in SERVED.get(kernel, BOTH)}
    made = spans.make(kernel, FIFTEEN_BY_FIVE, aggregates, column_types={"value": "int64"}, **options)
    made.insert_span(0, 12, 1)
    made.evict(14)
    made.insert_span(2, 11, 5)
    made.insert_span(10, 30, 7)
    made.check()
    assert made.state(15, 30) == dict.fromkeys(aggregates, 7)
    assert made.first_from(0) == 15
    loaded = spans.make(kernel, FIFTEEN_BY_FIVE, aggregates, column_types={"value": "int64"}, **options)
    loaded.load(made.save())
    for each in (made, loaded):
        with pytest.raises(BadInput, match=r"\[10, 25\) begins by 14, up to which was evicted"):
            each.state(10, 25)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["se_slicing", "aggregate_buckets"])
def test_an_event_goes_into_so_many_slices_or_windows_and_no_more(kernel):
    made = spans.make(kernel, spanning(5 * US, 5 * US, longest=DAY), COUNT)
    made.insert_span(0, 5 * (MOST_PIECES - 1))
    assert made.state(5 * (MOST_PIECES // 2), 5 * (MOST_PIECES // 2 + 1)) == {"calls": 1}
    with pytest.raises(WrongParameter, match="allowed: one that goes into 1,048,576 slices or windows, not"):
        made.insert_span(0, 5 * MOST_PIECES + 1)


def test_limits_of_times_and_lengths_from_both_sides():
    longest = spanning(15 * US, 5 * US, longest=90 * US)
    made = spans.make("se_slicing", longest, COUNT)
    made.insert_span(0, 90)
    with pytest.raises(WrongParameter, match=r"interval is \(0, 91\).*at most 90 µs long"):
        made.insert_span(0, 91)
    made.evict(1 << 61)
    assert made.first_from(-(1 << 61)) is None
    for asked in (made.evict, made.first_from):
        with pytest.raises(WrongParameter, match="time is 2305843009213693953.*within"):
            asked((1 << 61) + 1)


@pytest.mark.parametrize(
    "other",
    [
        ("se_ml_slicing", FIFTEEN_BY_FIVE, COUNT, {"height": 8}),
        ("se_slicing", FIFTEEN_BY_FIVE, COUNT, {}),
        ("se_ml_slicing", spanning(10 * US, 5 * US, longest=DAY), COUNT, {"height": 4}),
        ("se_ml_slicing", FIFTEEN_BY_FIVE, {"calls": agg("sum", "v")}, {"height": 4}),
    ],
)
def test_words_that_something_else_saved_are_refused(other):
    kernel, window, aggregates, options = other
    made = spans.make("se_ml_slicing", FIFTEEN_BY_FIVE, COUNT, height=4)
    made.insert_span(0, 12)
    words = made.save()
    with pytest.raises(BadInput, match="saved by another kernel, window, aggregates or options"):
        spans.make(kernel, window, aggregates, **options).load(words)
    for damaged in (words[:-1], words[:2], words.astype(np.float64), words.reshape(1, -1)):
        with pytest.raises(BadInput, match="saved"):
            made.load(damaged)
    made.load(np.repeat(words, 2)[::2])
    assert made.state(0, 15) == {"calls": 1}


def test_the_greatest_height_serves():
    made = spans.make("se_ml_slicing", FIFTEEN_BY_FIVE, COUNT, height=1024)
    made.insert_span(0, 50_000)
    assert made.state(20_000, 20_015) == {"calls": 1}


def test_intervals_and_windows_that_are_none_are_refused():
    made = spans.make("se_slicing", FIFTEEN_BY_FIVE, COUNT)
    with pytest.raises(WrongParameter, match="interval is .5, 4.; allowed: low < high"):
        made.insert_span(5, 4)
    with pytest.raises(WrongParameter, match=r"time is 4611686018427387904; .* within ±2\*\*61 µs"):
        made.insert_span(0, 1 << 62)
    for low, high in ((1, 16), (0, 14)):
        with pytest.raises(BadInput, match=rf"\[{low}, {high}\) is no window; the one that .* is \[0, 15\]"):
            made.state(low, high)


@pytest.mark.parametrize("kernel", spans.kernels())
def test_what_is_refused_is_not_among_what_is_said_to_be_supported(kernel):
    for function, monoid in every_monoid():
        for type_ in monoid.column_types if SHARE not in monoid.second_types else ():
            spec = AggregateSpec(function, 0 if type_ else None, type_ or "int64", None, *monoid.second_types[:1])
            try:
                spans.window_class(kernel).refuse([spec])
            except NotServed as refused:
                assert not {function, in_words(spec)} & {*refused.allowed.split(", ")}, refused
