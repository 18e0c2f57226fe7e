"""Keys of events that last get their kernel by query and events alone, and each kernel gives the same rows."""

import random

import numpy as np
import pytest

from tests.support.kernels.columns import columns_of, ticks_of
from windrow.kernels.api import AggregatePlan, KernelChoice, ReplayRules, WindowSpec, replay_keys
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.spans import _planner as planner
from windrow.kernels.spans import kernels
from windrow.kernels.spans._planner import (
    FEW_OVERLAPPED,
    MANY_SLICES,
    MOST_HEIGHT,
    MOST_STATE_WORDS,
    UNDER_WAY,
    AskedWindows,
    EventFigures,
    figures_of,
    plan_keys,
)
from windrow.schemas.errors import WrongParameter

COUNT, SUM, MAX = AggregateSpec("count"), AggregateSpec("sum", 0), AggregateSpec("max", 0)
LONG = 1 << 30
OF_TEN = AskedWindows(size_us=100, slide_us=10, slice_us=10)
FEW, MANY = LONG // 1_000, LONG // 2
"""Events within LONG: of windows of 90 less their slide hardly any begin, or more than enough."""


def planned(under_way: int, asked: AskedWindows = OF_TEN, length: int = 900, events: int = MANY) -> int:
    """For a key of such events."""
    figures = EventFigures(*(np.array([each]) for each in (events, LONG, length, under_way)))
    return int(plan_keys(figures, asked)[0])


@pytest.mark.parametrize("height", [2, 4, 8, 16, 32, 64])
def test_height_grows_with_the_root_of_the_events_under_way(height):
    pays = UNDER_WAY * height**2
    assert planned(pays) == height and planned(pays - 1) == height // 2


def test_no_height_is_beyond_the_greatest_that_paid():
    assert planned(UNDER_WAY * (2 * MOST_HEIGHT) ** 2, length=10 * MANY_SLICES) == MOST_HEIGHT


@pytest.mark.parametrize(("length", "height"), [(4, 1), (5, 2), (14, 2), (15, 4), (34, 4), (35, 8), (1_000, 16)])
def test_levels_that_a_mean_event_is_too_short_for_are_left_out(length, height):
    assert planned(UNDER_WAY * 16**2, length=length) == height


def test_buckets_are_taken_where_few_events_begin_while_windows_overlap_and_few_are_under_way():
    reach = LONG + OF_TEN.size_us - OF_TEN.slide_us
    most = reach // -(-90 // FEW_OVERLAPPED)
    assert planned(1, events=most) == planner.BY_BUCKETS and planned(1, events=most + 1) == 1
    assert planned(4 * UNDER_WAY - 1, events=FEW) == planner.BY_BUCKETS
    assert planned(4 * UNDER_WAY, events=FEW) == 2
    assert planned(1, OF_TEN._replace(buckets=False), events=FEW) == 1


@pytest.mark.parametrize("slide", [100, 300])
def test_windows_that_do_not_overlap_have_buckets_however_many_events_begin(slide):
    assert planned(4 * UNDER_WAY - 1, OF_TEN._replace(slide_us=slide, slice_us=slide)) == planner.BY_BUCKETS


def test_sweeping_is_taken_where_it_serves_and_events_meet_many_slices():
    swept, met = OF_TEN._replace(sweeping=True), 10 * (MANY_SLICES - 1)
    assert planned(UNDER_WAY * 4**2, swept, met - 5) == planner.BY_SWEEPING
    assert planned(UNDER_WAY * 4**2, swept, met - 6) == 4
    assert planned(UNDER_WAY * 4**2, OF_TEN, met) == 4
    assert planned(1, swept, met, events=FEW) == planner.BY_BUCKETS


def test_slices_of_large_states_stay_low():
    assert planner.most_height(4) == MOST_HEIGHT
    assert planner.most_height(MOST_STATE_WORDS // 8) == 8
    assert planner.most_height(100 * MOST_STATE_WORDS) == 1
    assert planned(UNDER_WAY * 16**2, OF_TEN._replace(most_height=7)) == 4


def test_figures_are_of_each_key_alone_and_a_key_may_have_no_events():
    starts, ends = np.array([0, 10, 20, 5, 7]), np.array([40, 30, 20, 9, 12])
    offsets = np.array([0, 0, 3, 3, 5, 5])
    found = figures_of(offsets, starts, ends)
    assert found.events.tolist() == [0, 3, 0, 2, 0]
    assert found.reach_us.tolist() == [0, 40, 0, 7, 0]
    assert found.length_us.tolist() == [0, (40 + 20 + 1) // 3, 0, 4, 0]
    assert found.under_way.tolist() == [0, 1, 0, 1, 0]
    assert all(each.tolist() == [] for each in figures_of(np.array([0]), starts[:0], ends[:0]))


def test_lengths_of_all_of_time_do_not_overflow():
    many, longest = 1 << 12, 1 << 61
    starts, ends = np.full(many, -longest), np.full(many, longest)
    found = figures_of(np.array([0, many]), starts, ends)
    assert found.under_way[0] == many and longest < found.length_us[0] <= 2 * longest


def spans_of(count: int, length: int, apart: int) -> list[tuple]:
    """Columns of a key: each event arrives when it ends."""
    return [(at * apart, at * apart + length, at % 19 - 9, at * apart + length) for at in range(count)]


def replayed(keys: list[list[tuple]], asked: tuple[WindowSpec, ReplayRules], name: str | None, *aggregates, **options):
    columns, choice = columns_of(*keys), KernelChoice(name, tuple(options.items()))
    if columns.end_us is None:  # without events
        columns = columns._replace(end_us=columns.start_us)
    return replay_keys(columns, asked[0], AggregatePlan(aggregates), ticks_of(columns), asked[1], choice)


def rows_of(made) -> list:
    return [each.tolist() for each in made[:-3]]


ASKED = WindowSpec("spanning", 20, 5), ReplayRules(3, 10, "watermark", 1 << 40)
OF_HEIGHT = {height: spans_of(7 * UNDER_WAY * height**2, 4 * UNDER_WAY * height**2 // 3, 1) for height in (2, 4, 8)}
KEYS = [spans_of(300, 20, 2), spans_of(40, 60, 30), *OF_HEIGHT.values(), [], spans_of(200, 1_000, 10)]
WANTED = {
    "aggregate_buckets": 2,
    "cumulative_sweeping": 2,
    "se_slicing": 1,
    "se_ml_slicing of height 2": 1,
    "se_ml_slicing of height 4": 1,
}


def test_a_replay_has_keys_of_every_kernel_and_the_rows_of_flat_slices():
    made = replayed(KEYS, ASKED, None, COUNT, SUM)
    assert made.kernels == WANTED
    assert rows_of(made) == rows_of(replayed(KEYS, ASKED, planner.FLAT, COUNT, SUM))


def test_sweeping_is_not_chosen_for_what_it_does_not_serve():
    made = replayed(KEYS, ASKED, None, COUNT, SUM, MAX)
    others = {label: keys for label, keys in WANTED.items() if label != planner.SWEEPING}
    assert made.kernels == others | {"se_ml_slicing of height 2": 2, "se_ml_slicing of height 8": 1}
    assert rows_of(made) == rows_of(replayed(KEYS, ASKED, planner.FLAT, COUNT, SUM, MAX))


def test_the_choice_is_the_same_alone_and_among_others_in_any_order():
    alone = [replayed([key], ASKED, None, COUNT, SUM).kernels for key in KEYS]
    order = random.Random(1).sample(range(len(KEYS)), len(KEYS))
    for keys in (order, order[:3]):
        together = replayed([KEYS[key] for key in keys], ASKED, None, COUNT, SUM).kernels
        of_each = [label for key in keys for label in alone[key]]
        assert together == {label: of_each.count(label) for label in of_each}


def test_options_are_those_of_a_named_kernel():
    with pytest.raises(
        WrongParameter, match="options is .height.; allowed: none unless a kernel is named.*se_ml_slicing"
    ):
        replayed(KEYS, ASKED, None, COUNT, height=8)


def test_what_is_chosen_can_be_asked_for_by_name():
    assert set(planner.KERNELS) <= set(kernels())
    for plan in planner.PLANS:
        name, options = planner.kernel_of(plan)
        assert planner.name_in(planner.label_of(plan)) == name
        assert rows_of(replayed(KEYS, ASKED, name, COUNT, **options)) == rows_of(replayed(KEYS, ASKED, None, COUNT))


def test_the_reason_is_one_line_that_adds_up():
    assert planner.why_by_events({"finger_tree": 3}) is None
    line = planner.why_by_events({"se_ml_slicing of height 8": 4, "se_slicing": 1_310})
    assert line == (
        f"kernels: se_slicing 1,310 keys (fewer than {4 * UNDER_WAY} events under way at once, events shorter than "
        f"half a slice, shares of events, or large states), se_ml_slicing of height 8 4 keys ({64 * UNDER_WAY} or more "
        "events under way at once)"
    )
