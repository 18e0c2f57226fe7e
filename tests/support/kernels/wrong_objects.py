"""Rounds over objects: windows of point events, of events that last, frames, farms (wrong_hands.py)."""

from datetime import timedelta

import numpy as np

from tests.support.kernels.frames import Tuple, frames_of
from tests.support.kernels.hands import damaged
from tests.support.kernels.plain import PlainWindow, values_within
from tests.support.kernels.wrong_hands import OF_OTHERS, RIGHT, Hands, Wrong, round_of
from windrow.kernels import aggregators, farm, frames, spans
from windrow.kernels.frames._object import FrameWindow
from windrow.kernels.objects.saved import SEAL_WORDS, sealed
from windrow.schemas.query import agg, sliding, spanning
from windrow.schemas.windows import DeltaFrame, Session, ThresholdFrame

US, DAY = timedelta(microseconds=1), timedelta(days=1)
AGGREGATES = {"events": agg("count"), "there": agg("count", "v"), "total": agg("sum", "v")}
MOST = {"most": agg("max", "v")}
TYPES = {"column_types": {"v": "int64"}}
SPANNING = spanning(15 * US, 5 * US, longest=DAY)
MAKERS = {
    "point": (aggregators.make, aggregators.kernels()),
    "span": (spans.make, spans.kernels()),
    "frame": (frames.make, frames.kernels()),
}

OPTIONS_OF_WINDOWS = ("column_types", "min_arity", "height", "capacity", "policy", "keep_values", "sorting", "buffer",
                      "store")  # fmt: skip
OPTIONS_OF_FARMS = ("parameters", "columns", "keys", "chunk", "most_held_bytes", "ring", "seconds_a_window", "span_us")


@round_of("point events")
def point_events(hands: Hands) -> None:
    rng = hands.rng
    made = aggregators.make(rng.choice(aggregators.kernels()), AGGREGATES, **TYPES)
    plain, now = PlainWindow(AGGREGATES), 0
    for _ in range(rng.randrange(3, 12)):
        times = now + np.cumsum([rng.randrange(4) for _ in range(rng.randrange(6))], dtype=np.int64)
        values = np.array([rng.randrange(-9, 9) for _ in times], np.int64)
        now = int(times.max(initial=now))
        came, _ = hands.call(made.bulk_insert, times, values)
        if came == OF_OTHERS:
            break
        if came == RIGHT:
            plain.bulk_insert(times.tolist(), values.tolist())
        value = hands.junk()
        if hands.plainly(made.insert, now, value)[0]:
            plain.insert(now, value if value is None else int(value))
        time = rng.choice((now - 20, now - 3, now, hands.junk()))
        if hands.plainly(made.bulk_evict, time)[0]:
            plain.bulk_evict(time)
        _evict_one(hands, made, plain)
        low, high = (rng.choice((0, now - 5, now + 1, hands.junk())) for _ in range(2))
        found, answer = hands.plainly(made.range_query, low, high)
        if found:
            hands.require(answer, plain.range_query(low, high))
        _require_point_events(hands, made, plain)
    hands.copies(made)


def _evict_one(hands: Hands, made, plain: PlainWindow) -> None:
    time = hands.rng.choice((plain.oldest(), hands.junk()))
    if hands.plainly(made.evict, time)[0]:
        plain.evict(time)


def _require_point_events(hands: Hands, made, plain: PlainWindow) -> None:
    made.check()
    try:
        wanted = plain.query()
    except OverflowError:  # a total beyond int64
        wanted = None
    took, answer = hands.plainly(made.query)
    hands.require((took, answer if took else None), (wanted is not None, wanted))
    extent = (plain.oldest(), plain.youngest(), len(plain))
    hands.require((made.oldest(), made.youngest(), len(made)), extent)


@round_of("point events in threads")
def point_events_in_threads(hands: Hands) -> None:
    kernel = hands.rng.choice(("finger_tree", "finger_tree_single", "recompute"))
    made, count, bursts = aggregators.make(kernel, AGGREGATES, **TYPES), 1000, 4

    def insert(seed: int) -> None:
        chance = np.random.default_rng(seed)
        for _ in range(bursts):
            hands.plainly(made.bulk_insert, chance.integers(0, 10**6, count), np.ones(count, np.int64))
            hands.plainly(made.query)

    hands.in_threads(*(lambda seed=seed: insert(seed) for seed in range(3)))
    made.check()
    events = 3 * bursts * count
    hands.require(made.query(), {"events": events, "there": events, "total": events})


@round_of("events that last")
def events_that_last(hands: Hands) -> None:
    rng, kernel = hands.rng, hands.rng.choice(spans.kernels())
    aggregates = MOST if kernel == "selective_sweeping" else {"events": agg("count"), "total": agg("sum", "v")}
    made, held = spans.make(kernel, SPANNING, aggregates, **TYPES), []
    for _ in range(rng.randrange(3, 15)):
        start = rng.randrange(100)
        event = (start, start + rng.choice((0, 1, 9, 40)), rng.randrange(9))
        if rng.random() < 0.1:
            hands.plainly(made.insert_span, hands.junk(), *event[1:])
            break
        if hands.plainly(made.insert_span, *event)[0]:
            held.append(event)
        hands.plainly(made.first_from, hands.junk())
        hands.plainly(made.state, hands.junk(), hands.junk())
        made.check()
        _require_window(hands, made, aggregates, held, 5 * rng.randrange(20))
    hands.copies(made)
    _load(hands, made, lambda: spans.make(kernel, SPANNING, aggregates, **TYPES))


def _require_window(hands: Hands, made, aggregates: dict, held: list, low: int) -> None:
    values = values_within(held, low, low + 15)
    wanted = {"events": len(values), "total": sum(values) if values else None, "most": max(values, default=None)}
    hands.require(made.state(low, low + 15), {name: wanted[name] for name in aggregates})


def _load(hands: Hands, made, another) -> None:
    """Damaged words are refused; those whose seal is right too, or they are what something holds."""
    words = made.save()
    other = another()
    hands.plainly(other.load, words)
    hands.require(other.save().tolist(), words.tolist())
    for _ in range(8):
        changed = damaged(hands.rng, words)
        if hands.plainly(other.load, changed)[0] and not np.array_equal(changed, words):
            raise Wrong(f"damaged words were loaded: {changed}")
        hands.plainly(another().load, sealed(int(words[0]), damaged(hands.rng, words[SEAL_WORDS:])))
        hands.call(other.load, words)
    hands.require(other.save().tolist(), words.tolist())


@round_of("frames")
def tuples_in_frames(hands: Hands) -> None:
    rng = hands.rng
    frame = rng.choice((ThresholdFrame("v", 4.0), DeltaFrame("v", 3.0), Session(6 * US), Session("v", 2 * US)))
    kernel, held = rng.choice(frames.kernels()), []
    made = frames.make(kernel, frame, {"total": agg("sum", "v")}, **TYPES)
    for order in range(rng.randrange(2, 40)):
        each = Tuple(rng.randrange(60), order, rng.randrange(9))
        if hands.plainly(made.insert, each.time, each.value)[0]:
            held.append(each)
        if rng.random() < 0.1:
            _require_frames(hands, made, frame, held)
    _require_frames(hands, made, frame, held)
    hands.copies(made)
    _load(hands, made, lambda: frames.make(kernel, frame, {"total": agg("sum", "v")}, **TYPES))
    for _ in range(8):
        hands.call(made.insert_burst, np.array([70, 71]), np.array([1, 2]))
        hands.plainly(made.evict, hands.junk())
        hands.plainly(made.frames)
        made.check()


def _require_frames(hands: Hands, made: FrameWindow, frame, held: list[Tuple]) -> None:
    made.check()
    wanted = [
        (found[0].time, found[-1].time + 1, sum(each.value for each in found)) for found in frames_of(frame, held)
    ]
    hands.require([(each.start, each.end, each.aggregates["total"]) for each in made.frames()], wanted)


@round_of("objects in threads")
def objects_in_threads(hands: Hands) -> None:
    made = spans.make("se_slicing", SPANNING, {"events": agg("count")})
    cut = frames.make("multi_buffer", DeltaFrame("v", 3.0), {"n": agg("count")}, **TYPES)

    def work(seed: int) -> None:
        for time in range(300):
            hands.plainly(made.insert_span, time % 90, time % 90 + 20)
            hands.plainly(made.state, 45, 60)
            hands.plainly(cut.insert, time * 7 % 100, time % 9)
            if time % 100 == 0:
                hands.plainly(cut.frames)
                hands.plainly(cut.load, cut.save())

    hands.in_threads(*(lambda seed=seed: work(seed) for seed in range(3)))
    made.check()
    cut.check()


@round_of("farms")
def farms(hands: Hands) -> None:
    rng = hands.rng
    made = farm.make(rng.choice(("active", "agnostic")), sliding(10 * US, 5 * US), "median_deviation", workers=2)
    with made as farmed:
        inserted = []
        for batch in range(rng.randrange(2, 6)):
            times = np.arange(20, dtype=np.int64) + 20 * batch
            came, _ = hands.call(farmed.insert, times, np.ones((1, 20)))
            if came == OF_OTHERS:
                return
            if came == RIGHT:
                inserted += times.tolist()
            hands.plainly(farmed.finish_key, hands.junk())
            hands.plainly(farmed.metrics)
        hands.copies(farmed)
        if hands.plainly(farmed.finish)[0] and hands.plainly(farmed.check)[0]:
            found = farmed.take()
            wanted = [
                sum(start <= time < end for time in inserted) for start, end in zip(found[2], found[3], strict=True)
            ]
            hands.require(found.tuples.tolist(), wanted)
    hands.plainly(farmed.insert, np.arange(3), np.ones((1, 3)))
    hands.plainly(farmed.close)


@round_of("what is made")
def what_is_made(hands: Hands) -> None:
    """From junk."""
    rng = hands.rng
    for _ in range(20):
        make, kernels = MAKERS[rng.choice(list(MAKERS))]
        arguments = [rng.choice((rng.choice(kernels), hands.junk()))]
        if make is not aggregators.make:
            arguments.append(rng.choice((SPANNING, DeltaFrame("v", 3.0), hands.junk())))
        arguments.append(rng.choice((AGGREGATES, MOST, hands.junk())))
        options = {name: hands.junk() for name in rng.sample(OPTIONS_OF_WINDOWS, rng.randrange(3))}
        if rng.random() < 0.5:
            options |= TYPES
        hands.plainly(make, *arguments, **options)
    model, window = rng.choice(("active", hands.junk())), rng.choice((sliding(10 * US, 5 * US), hands.junk()))
    options = {name: hands.junk() for name in rng.sample(OPTIONS_OF_FARMS, 2)}
    made, found = hands.plainly(farm.make, model, window, rng.choice(("median_deviation", hands.junk())), 1, **options)
    if made:
        found.close()
