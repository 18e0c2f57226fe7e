"""Frames by both buffers: FRAMES' worked example, and random tuples in whatever order against a plain walk."""

import random
from datetime import timedelta

import pytest
from numba import config

from tests.support.kernels.frames import Tuple, closing, frames_of, random_frame, types_of
from tests.support.kernels.plain import FUNCTIONS
from windrow.kernels import frames
from windrow.kernels.frames._frames import KeyFrames
from windrow.kernels.frames._ordered import CHUNK_ENTRIES
from windrow.kernels.frames.multi_buffer import MultiBufferWindow
from windrow.kernels.monoids import answered_by_states
from windrow.schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter
from windrow.schemas.query import agg
from windrow.schemas.windows import AggregateFrame, BoundaryFrame, Delta, DeltaFrame, Session, Tumbling

pytestmark = pytest.mark.few_tests(5)
US = timedelta(microseconds=1)
WAYS = [("multi_buffer", {})] + [("single_buffer", {"sorting": each, "capacity": 256}) for each in ("eager", "lazy")]
IN_ORDER = ("single_buffer", {"sorting": "in_order", "capacity": 256})
AGGREGATES = {"values": agg("count", "value"), "total": agg("sum", "value"), "newest": agg("last", "value")}
COMMUTING = {"values": agg("count", "value"), "total": agg("sum", "value"), "most": agg("max", "value")}
NO_NUMBER = ("all", "any", "argmax", "argmin", "bloom", "longest_run_end", "longest_run_start")
"""Aggregates that need other columns, or say something else than a number."""
MANY = 250  # tuples: several chunks of them
RUNS = 60 if not config.DISABLE_JIT else 4


def expected(frame, tuples: list[Tuple], aggregates: dict) -> list[tuple]:
    return [_answer(found, aggregates) for found in frames_of(frame, tuples, closing(frame))]


def _answer(found: list[Tuple], aggregates: dict) -> tuple:
    rows = [(each.time, each.value) for each in found if each.value is not None]
    outputs = {name: FUNCTIONS[each.function](rows) for name, each in aggregates.items()}
    return found[0].time, found[-1].time + 1, outputs


def answers(made) -> list[tuple]:
    return [(found.start, found.end, found.aggregates) for found in made.frames()]


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "options"), [*WAYS, IN_ORDER], ids=str)
def test_fig_4_a_delayed_element_splits_and_merges_until_the_old_edges_are_met(kernel, options):
    """Sum, bound 3."""
    values = {1: 1, 2: 1, 3: 1, 4: 3, 5: 2, 6: 1, 7: 1, 8: 2}
    delayed = (1, 2) if options.get("sorting") != "in_order" else (8, 2)
    made = frames.make(kernel, AggregateFrame("sum", "value", 3), COMMUTING, **options)
    for time, value in values.items():
        made.insert(time, value)
    assert [(each.start, each.end, each.is_open) for each in made.frames()] == [
        (1, 4, False),
        (4, 5, False),
        (5, 7, False),
        (7, 9, True),
    ]
    made.insert(*delayed)
    if delayed[0] == 1:
        assert [(each.start, each.end) for each in made.frames()] == [(1, 2), (2, 5), (5, 7), (7, 9)]
    made.check()


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "options"), [*WAYS, IN_ORDER], ids=str)
def test_after_each_tuple_frames_are_those_of_a_plain_walk(kernel, options):
    rng = random.Random(str((kernel, options)))
    for _ in range(RUNS):
        play(rng, kernel, options, rng.choice((AGGREGATES, COMMUTING)))


def play(rng: random.Random, kernel: str, options: dict, aggregates: dict) -> None:
    """Tuples come one by one or in bursts; what is there is saved and loaded, and in half of the runs evicted, now and
    then."""
    frame, kind, is_in_order = random_frame(rng), rng.choice(("int64", "float64")), options.get("sorting") == "in_order"
    made = frames.make(kernel, frame, aggregates, column_types=types_of(frame, kind), **options)
    most, in_burst, evicts = rng.choice((*[60] * 9, MANY)), rng.choice((1, 1, 3, 40)), rng.random() < 0.5
    often = 0.5 if most < MANY else 0.03
    tuples, floor, spread, most = [], 0, rng.choice((5, 40, 1000)), rng.randint(1, most)
    while len(tuples) < most:
        low = max(floor, tuples[-1].time) if is_in_order and tuples else floor
        times = [rng.randint(low, max(low, floor + spread)) for _ in range(rng.randint(1, min(in_burst, most)))]
        times, values = sorted(times) if is_in_order else times, [rng.choice((None, *range(10))) for _ in times]
        tuples += [Tuple(time, len(tuples) + place, values[place]) for place, time in enumerate(times)]
        made.insert(times[0], values[0]) if in_burst == 1 else made.insert_burst(times, values)
        if evicts and rng.random() < 0.4:
            floor = max(floor, max(each.time for each in tuples) - rng.randint(0, 20))
            made.evict(floor)
        if rng.random() < 0.2 * often:
            made.load(made.save())
        if rng.random() < often:
            assert_same_frames(made, frame, tuples, aggregates, floor)
    assert_same_frames(made, frame, tuples, aggregates, floor)
    made.evict(1 << 40)
    with pytest.raises(BadInput, match=f"time 999 comes before {1 << 40}, up to which was evicted"):
        made.insert(999, 1.0)


def assert_same_frames(made, frame, tuples: list[Tuple], aggregates: dict, floor: int) -> None:
    """Of all frames those are gone that end by the floor, up to which was evicted; it is 0 where nothing was."""
    made.check()
    found, wanted = answers(made), expected(frame, tuples, aggregates)
    gone = len(wanted) - len(found)
    assert found == wanted[gone:] and all(end <= floor for _, end, _ in wanted[:gone])
    contents = [[(each.time, each.value) for each in held] for held in frames_of(frame, tuples, closing(frame))]
    for each, content in zip(made.frames(), contents[gone:], strict=True):
        kept = [(time, value) for time, value in content if time >= floor]
        assert made.content(each) == kept or not (floor == 0 or isinstance(made, MultiBufferWindow))


def test_a_capacity_that_would_overwrite_a_live_tuple_is_refused_and_names_the_policy():
    made = frames.make("single_buffer", DeltaFrame("value", 1), COMMUTING, capacity=4)
    for time in range(4):
        made.insert(time, time)
    with pytest.raises(BadInput, match="time 4 finds no free cell among 4 .* evict_after and evict"):
        made.insert(4, 4)
    assert [each.start for each in made.frames()] == [0, 1, 2, 3]
    made.evict(3)
    made.insert(4, 4)
    assert [each.start for each in made.frames()] == [2, 3, 4]


def test_frames_go_by_the_policy_once_there_are_more_than_stay():
    made = frames.make("single_buffer", DeltaFrame("value", 1), COMMUTING, capacity=5, evict_after=3, evict=2)
    seen = []
    for time in range(8):
        made.insert(time, time)
        made.check()
        seen.append([each.start for each in made.frames()])
    assert seen == [[0], [0, 1], [0, 1, 2], [2, 3], [2, 3, 4], [4, 5], [4, 5, 6], [6, 7]]
    with pytest.raises(BadInput, match="time 5 comes before 6, up to which was evicted"):
        made.insert(5, 5)


LONGEST = timedelta(microseconds=2**61)
OF_ONE = DeltaFrame("value", 1)
REFUSED = [
    *(("single_buffer", OF_ONE, {"capacity": capacity}, WrongParameter, "capacity") for capacity in (0, (1 << 28) + 1)),
    ("single_buffer", OF_ONE, {"sorting": "quick"}, WrongParameter, "sorting"),
    ("single_buffer", OF_ONE, {"evict_after": 2}, WrongParameter, "evict"),
    ("single_buffer", OF_ONE, {"evict_after": 2, "evict": 3}, WrongParameter, "evict"),
    ("single_buffer", OF_ONE, {"evict": 1}, WrongParameter, "evict_after"),
    ("single_buffer", OF_ONE, {"capacity": 8, "evict_after": 8, "evict": 1}, WrongParameter, "evict_after"),
    ("single_buffer", OF_ONE, {"order": 1}, WrongParameter, "options"),
    ("multi_buffer", OF_ONE, {"column_types": {"value": "bool"}}, WrongParameter, "type of column value"),
    ("multi_buffer", Delta("value", 1, 1), {}, NotServed, "'delta'"),
    ("multi_buffer", Tumbling(US), {}, NotServed, "tumbling"),
    ("multi_buffer", Session(LONGEST + US), {}, WrongParameter, "gap"),
    ("multi_buffer", AggregateFrame("any", "value", 1), {}, WrongParameter, "gives a number"),
    ("multi_buffer", "delta", {}, WrongParameter, "a frame such as"),
    ("two_buffers", OF_ONE, {}, NotServed, "multi_buffer, single_buffer"),
]


@pytest.mark.parametrize(("kernel", "frame", "options", "error", "message"), REFUSED)
def test_what_is_no_frame_or_no_option_is_refused_by_name(kernel, frame, options, error, message):
    with pytest.raises(error, match=message):
        frames.make(kernel, frame, COMMUTING, **options)


def test_the_longest_gap_is_served_and_a_late_tuple_is_refused_where_they_come_in_order():
    frames.make("multi_buffer", Session(LONGEST), COMMUTING)
    made = frames.make(IN_ORDER[0], OF_ONE, COMMUTING, **IN_ORDER[1])
    with pytest.raises(BadInput, match="sorting in_order"):
        made.insert_burst([2, 1], [1, 1])


def test_a_closing_aggregate_without_an_answer_is_an_error_until_something_else_is_loaded():
    types = {"value": "int64"}
    made = frames.make("multi_buffer", AggregateFrame("product", "value", 1e30), COMMUTING, column_types=types)
    saved = made.save()
    made.insert(1, 2**50)
    made.insert(2, 2**50)
    for refused in (lambda: made.insert(3, 1), made.frames, made.save):
        with pytest.raises(AggregateFailed, match="product of column value"):
            refused()
    made.load(saved)
    made.insert(3, 1)
    assert [each.start for each in made.frames()] == [3]


def test_whole_numbers_beyond_2_53_by_which_frames_are_cut_are_refused():
    made = frames.make("multi_buffer", DeltaFrame("value", 1), COMMUTING, column_types={"value": "int64"})
    made.insert_burst([1, 2], [2**53, -(2**53)])
    with pytest.raises(BadInput, match=r"9007199254740993 is beyond"):
        made.insert(3, 2**53 + 1)


def test_a_gap_of_a_column_is_taken_up_to_2_60():
    made = frames.make("multi_buffer", Session("value", 2**10 * US), COMMUTING, column_types={"value": "int64"})
    made.insert_burst([2**61, -(2**61)], [2**50, -(2**63)])
    with pytest.raises(BadInput, match=r"1125899906842625 of time 3 is a gap beyond 1,125,899,906,842,624 times"):
        made.insert_burst([4, 3], [1, 2**50 + 1])
    assert [(each.start, each.aggregates["values"]) for each in made.frames()] == [(2**61, 1)]


def test_saved_words_that_are_others_or_cut_short_change_nothing():
    made = frames.make("multi_buffer", DeltaFrame("value", 1), COMMUTING)
    made.insert(1, 1.0)
    saved, others = made.save(), frames.make("multi_buffer", DeltaFrame("value", 2), COMMUTING)
    for words in (saved[:-1], saved[:2], saved.astype(float), others.save()):
        with pytest.raises(BadInput, match="saved"):
            made.load(words)
    assert made.frames()[0].aggregates == {"values": 1, "total": 1.0, "most": 1.0}


def test_a_frame_that_a_late_tuple_changed_has_no_content_any_more():
    made = frames.make("multi_buffer", DeltaFrame("value", 1), COMMUTING)
    made.insert_burst([1, 5], [0.0, 0.0])
    [before] = made.frames()
    made.insert(3, 9.0)
    with pytest.raises(BadInput, match="no frame from 1 to 6 any more"):
        made.content(before)
    assert [made.content(each) for each in made.frames()] == [[(1, 0.0)], [(3, 9.0)], [(5, 0.0)]]


@pytest.mark.nightly
def test_a_sketch_closes_frames_at_the_same_tuple_whichever_came_first():
    """Beyond what it keeps exactly, a sketch that takes in values differs from one that takes in sketches."""
    rng = random.Random("sketch")
    values = [rng.random() for _ in range(1500)]
    frame = AggregateFrame("approx_quantile", "value", 0.505)
    made, late = (frames.make("multi_buffer", frame, COMMUTING) for _ in range(2))
    made.insert_burst(range(1500), values)
    late.insert_burst([*range(1, 1500), 0], [*values[1:], values[0]])
    assert answers(made) == answers(late)
    assert max(each.aggregates["values"] for each in made.frames()) > 400


@pytest.mark.slow
@pytest.mark.parametrize("function", answered_by_states())
def test_any_aggregate_that_gives_a_number_may_close_frames(function):
    """The multi-buffer grows frames in one call of the aggregate, the single buffer tuple by tuple."""
    rng = random.Random(function)
    frame = AggregateFrame(function, "value", 3.5)
    tuples = [Tuple(rng.randint(0, 30), order, rng.randint(0, 9)) for order in range(MANY)]
    try:
        made = [frames.make(kernel, frame, COMMUTING, **options) for kernel, options in WAYS[:2]]
    except (NotServed, WrongParameter) as refused:
        assert function in NO_NUMBER, refused
        return
    assert function not in NO_NUMBER
    for each in tuples:
        for one in made:
            one.insert(each.time, each.value)
    assert answers(made[0]) == answers(made[1]) != []


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "options"), [*WAYS, IN_ORDER], ids=str)
def test_a_fold_leaves_the_place_where_the_next_frame_begins(kernel, options):
    """Instead of looking for its first tuple."""
    made = frames.make(kernel, BoundaryFrame("value", 1), {"values": agg("count", "value")}, **options)
    made.insert_burst(range(MANY), [time // 7 for time in range(MANY)])
    state = KeyFrames(made._address)
    for number, address in enumerate(made._addresses()[:-1], 1):
        made._ask("content", int(address))
        assert state.next_chunk * CHUNK_ENTRIES + state.next_at == 7 * number
