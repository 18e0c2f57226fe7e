"""Farms give what a plain scan gives, bit for bit and in window order, whatever the workers, chunks and timing."""

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.support.kernels.heavy import IN_ORDER, least_held
from tests.support.kernels.marks import MODELS
from tests.support.oracle.farm import windows_of
from windrow.kernels import farm
from windrow.kernels.farm.once import compute_once
from windrow.pipelines.gate.recount.plain.ticks import EPOCH, to_us
from windrow.schemas.errors import BadInput, NotServed, WrongParameter
from windrow.schemas.windows import Count, Delta, Rolling, SlideByTuple, Sliding, Tumbling

US, HOUR = timedelta(microseconds=1), timedelta(hours=1)
# In New York clocks go back in the first of these nights, and forth in the second.
CLOCK_CHANGES = [datetime(2018, *day, tzinfo=UTC) for day in ((11, 4), (3, 11))]
RUNS, SEEDS = 100, 10


def random_window(rng: random.Random):
    size, slide = rng.randint(1, 40), rng.randint(1, 40)
    days = Sliding(rng.choice((6, 24, 48)) * HOUR, rng.choice((6, 12, 24)) * HOUR, zone="America/New_York")
    origin = rng.choice((None, datetime.fromtimestamp(rng.randint(-3, 3) * 1e-6, ZoneInfo("UTC"))))
    return rng.choice(
        (
            Tumbling(size * US, origin=origin),
            Sliding(size * US, slide * US, origin=origin),
            Sliding(size * US, slide * US, origin=origin),
            Count(size, slide, "event_time"),
            SlideByTuple(size * US, rng.randint(1, 5)),
            Delta("value", extent=rng.randint(1, 9), threshold=rng.choice((1, 2, slide / 4))),
            days,
        )
    )


class Tuples:
    """Random tuples of a few keys, each key's in order, in random batches; those of local days are hours apart."""

    def __init__(self, rng: random.Random, rising: bool, tick: timedelta = US, around: datetime = EPOCH):
        self.keys = rng.randint(1, 3)
        count, gap = rng.choice((0, 1, rng.randint(2, 80))), rng.choice((0, 1, 3, 60))
        self.times = np.cumsum([rng.randint(0, gap) for _ in range(count)], dtype=np.int64) + rng.randint(-50, 50)
        self.times = self.times * (tick // US) + to_us(around)
        self.key = np.array([rng.randrange(self.keys) for _ in range(count)], np.int64)
        # Whole numbers too: distances that are exactly an extent or a threshold.
        values = [rng.choice((rng.uniform(0, 9), rng.randint(0, 9))) for _ in range(count)]
        self.values = np.array(sorted(values) if rising else values)
        self.cuts = sorted(rng.randrange(count + 1) for _ in range(rng.randint(0, 4)))

    def batches(self):
        for low, high in zip([0, *self.cuts], [*self.cuts, len(self.times)], strict=True):
            yield self.times[low:high], self.values[low:high], self.key[low:high]

    def of_key(self, key: int):
        return self.times[self.key == key], self.values[self.key == key]

    def span_us(self) -> tuple[int, int]:
        return (int(self.times[0]), int(self.times[-1])) if len(self.times) else (0, 0)

    def over(self, cut: int) -> list[int]:
        """Keys of which no tuples come behind a batch."""
        return sorted(set(range(self.keys)) - set(self.key[[*self.cuts, len(self.times)][cut] :].tolist()))


def run(made: farm.WindowFarm, tuples: Tuples, ends_early: bool = False) -> farm.Results:
    with made:
        for number, batch in enumerate(tuples.batches()):
            made.insert(*given_as(made.columns, *batch))
            for key in tuples.over(number) if ends_early else []:
                made.finish_key(key)
            made.check()
        made.finish()
        made.check()
        return made.take()


def given_as(columns: tuple[str, ...], times, values, keys):
    """Values of columns of any names and order; the function reads one of them."""
    others = -np.arange(len(times), dtype=np.float64)
    return times, np.array([values if each == "value" else others for each in columns]), keys


def plain_results(window, tuples: Tuples, key: int) -> list[tuple]:
    times, values = tuples.of_key(key)
    found = []
    for each in windows_of(window, times.tolist(), values.tolist()):
        computed = compute_once(IN_ORDER, times[each.places], values[None, each.places], bounds_us=each[:2])
        found.append((each.start, each.end, len(each.places), *computed.outputs.values()))
    return found


def results_of_key(results: farm.Results, key: int) -> list[tuple]:
    of_key = results.key == key
    columns = (results.start_us, results.end_us, results.tuples, *results.outputs.T)
    return list(zip(*(column[of_key].tolist() for column in columns), strict=True))


def random_options(rng: random.Random) -> dict:
    chunks = (1 << 10, rng.randint(1, 9))
    columns = rng.choice((None, ("value", "other"), ("other", "value"), ("a", "value", "b")))
    return {"workers": rng.randint(1, 4), "ring": 1 << rng.randint(0, 6), "chunk": rng.choice(chunks)} | {
        "columns": columns
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_runs_equal_a_plain_scan(seed):
    rng = random.Random(seed)
    for _ in range(RUNS):
        window = random_window(rng)
        zoned = getattr(window, "zone", None) is not None
        tuples = Tuples(rng, isinstance(window, Delta), *((HOUR, rng.choice(CLOCK_CHANGES)) if zoned else ()))
        model = "agnostic" if isinstance(window, Delta | SlideByTuple) else rng.choice(("agnostic", "active"))
        options = random_options(rng) | {"keys": tuples.keys}
        if zoned:
            options["span_us"] = tuples.span_us()
        room = rng.choice((1, 2, 1000)) * (least_held(model, window, **options) + 16_000 * (model == "agnostic"))
        made = farm.make(model, window, IN_ORDER, most_held_bytes=room, **options)
        results = run(made, tuples, rng.random() < 0.5)
        assert made.metrics().greatest_held_bytes <= room
        for key in range(tuples.keys):
            assert results_of_key(results, key) == plain_results(window, tuples, key)
        assert results.status.tolist() == [0] * len(results.key)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_all_results_come_in_one_order_whatever_the_workers(seed):
    rng = random.Random(1000 + seed)
    window = Sliding(rng.randint(5, 40) * US, rng.randint(1, 9) * US)
    tuples = Tuples(rng, rising=False)
    ways = [("agnostic", 1), ("agnostic", 3), ("active", 1), ("active", 3)]
    found = [run(farm.make(model, window, IN_ORDER, workers, keys=tuples.keys), tuples) for model, workers in ways]
    for results in found[1:]:
        for field in ("key", "number", "start_us", "end_us", "tuples", "status", "outputs"):
            assert np.array_equal(getattr(results, field), getattr(found[0], field)), field


def test_active_workers_refuse_windows_that_depend_on_later_tuples():
    for window in (Delta("value", 1.0, 1.0), SlideByTuple(US, 1)):
        with pytest.raises(WrongParameter, match=f"window is '{window.kind}'.*or the model 'agnostic'"):
            farm.make("active", window, IN_ORDER)


REFUSED = {
    "model": ({"model": "lazy"}, "model is 'lazy'; allowed: 'active' or 'agnostic'"),
    "window": ({"window": Rolling(US)}, "window 'rolling' isn't supported yet"),
    "name": ({"name": "mean"}, "function 'mean' isn't supported yet"),
    "workers": ({"workers": 5000}, "workers is 5000; allowed: an integer from 1 to 1,024"),
    "keys": ({"keys": 0}, "keys is 0"),
    "ring": ({"ring": 12}, "ring is 12; allowed: a power of two"),
    "chunk": ({"chunk": 4 * US}, "chunk is .*; allowed: an integer from 1 to"),
    "column": ({"window": Delta("other", 1.0, 1.0)}, "column is 'other'; allowed: one of value"),
    "columns": ({"columns": ()}, "columns is .*; allowed: a tuple of names, each of them once"),
    "letters": ({"columns": "value"}, "columns is 'value'; allowed: a tuple of names"),
    "lacking": ({"columns": ("weight",)}, "columns is .*; allowed: names of columns with value, weight of polynomial_"),
    "seconds": ({"seconds_a_window": float("nan")}, "seconds_a_window is nan; allowed: a number of seconds, above 0"),
    "bytes": ({"most_held_bytes": 1e6}, "most_held_bytes is 1000000.0; allowed: an integer from 1 to"),
    "pieces": ({"chunk": 0.5}, "chunk is 0.5; allowed: an integer from 1 to"),
    "span": ({"span_us": (5, 4)}, "span_us is .5, 4.; allowed: .least, greatest. event time"),
    "order": ({"window": Count(3, 2)}, "order 'arrival' isn't supported yet; .* event_time"),
    "length": ({"window": SlideByTuple(timedelta(days=20_000_000), 1)}, "size is .*; allowed: from 1 µs to 2..60 µs"),
    "step": ({"window": Count(1 << 61, 1, "event_time")}, "size is .*; allowed: from 1 to 2..60 tuples"),
    "values": ({"parameters": None}, "parameters is None; allowed: a mapping"),
    "parameter": ({"parameters": {"degrees": 2}}, "parameters of polynomial_fit is 'degrees'"),
    "option": ({"chunks": 4}, "option of a farm is 'chunks'. Did you mean 'chunk'"),
    "zone": ({"window": Tumbling(timedelta(days=1), zone="Europe/Rome")}, "span_us is None"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_refused_with_value_and_limit(case):
    given, message = REFUSED[case]
    asked = {"model": "agnostic", "window": Tumbling(10 * US), "name": "polynomial_fit", "workers": 1} | given
    with pytest.raises((WrongParameter, NotServed), match=message):
        farm.make(asked.pop("model"), asked.pop("window"), asked.pop("name"), asked.pop("workers"), **asked)


@MODELS
def test_wrong_tuples_are_refused_by_row(model):
    with farm.make(model, Tumbling(10 * US), IN_ORDER, 1, keys=2) as made:
        with pytest.raises(BadInput, match="row 1 has NaN in value"):
            made.insert(np.arange(2), np.array([1.0, np.nan]))
        with pytest.raises(WrongParameter, match="values is .*; allowed: 1 columns of 2 values"):
            made.insert(np.arange(2), np.ones(3))
        with pytest.raises(WrongParameter, match="keys is .*; allowed: 2 numbers from 0 to 1"):
            made.insert(np.arange(2), np.ones(2), np.array([0, 2]))
        with pytest.raises(WrongParameter, match="keys is '1 numbers'; allowed: 2 numbers from 0 to 1"):
            made.insert(np.arange(2), np.ones(2), np.array([0]))
        with pytest.raises(BadInput, match="event time of row 1 is .*; allowed: within"):
            made.insert(np.array([0, (1 << 61) + 1]), np.ones(2))
        made.insert(np.array([5, 4]), np.ones(2), np.array([0, 1]))  # in order within each key
        with pytest.raises(BadInput, match="at row 1 the event time falls; .* of key 1"):
            made.insert(np.array([5, 3]), np.ones(2), np.array([0, 1]))


def test_a_falling_attribute_is_refused():
    with (
        farm.make("agnostic", Delta("value", 1.0, 1.0), IN_ORDER, 1) as made,
        pytest.raises(BadInput, match="at row 2 the attribute of the delta window falls; .* of key 0"),
    ):
        made.insert(np.arange(3), np.array([1.0, 2.0, 1.5]))


@MODELS
def test_a_key_can_end_before_the_others(model):
    with farm.make(model, Tumbling(10 * US), IN_ORDER, 2, keys=2) as made:
        made.insert(np.arange(4), np.ones(4), np.array([0, 1, 0, 1]))
        made.finish_key(1)
        made.insert(np.array([20]), np.ones(1))
        made.finish()
        results = made.take()
        with pytest.raises(BadInput, match="at row 0 comes a tuple behind finish_key of key 1"):
            made.insert(np.array([30]), np.ones(1), np.array([1]))
    assert (results.key.tolist(), results.tuples.tolist()) == ([1, 0, 0], [2, 2, 1])
