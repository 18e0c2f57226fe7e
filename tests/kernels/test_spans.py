"""Kernels of spans: levels that an event goes into, random events against a plain look, and random replays against the
oracle."""

import random
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from numba import config

from tests.support.kernels.columns import columns_of
from tests.support.kernels.plain import values_within
from tests.support.local import replay_table
from tests.support.oracle import oracle
from tests.support.semantics.queries import ask
from tests.support.semantics.spec_tables import table
from windrow.kernels import entry, spans
from windrow.kernels.api import AggregatePlan, PassTicks, ReplayRules, WindowSpec, replay_keys
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.objects.saved import SEAL_WORDS, sealed
from windrow.kernels.spans import se_slicing
from windrow.kernels.spans._window import held_records
from windrow.kernels.spans.se_slicing import Slices
from windrow.pipelines.gate.recount.plain.ticks import EPOCH
from windrow.schemas.query import WINDOW_COLUMNS, Query, agg, spanning

US, DAY = timedelta(microseconds=1), timedelta(days=1)
FIFTEEN_BY_FIVE = spanning(15 * US, 5 * US, longest=DAY)
COUNT = {"calls": agg("count")}
BOTH = {"total": agg("sum", "value"), "greatest": agg("max", "value")}
SERVED = {"cumulative_sweeping": ("total",), "selective_sweeping": ("greatest",)}
"""Of kernels that don't serve both."""
WAYS = [(name, {}) for name in spans.kernels()] + [("se_ml_slicing", {"height": height}) for height in (1, 3, 7)]
RUNS = 150 if not config.DISABLE_JIT else 3


def levels_of(made) -> dict[int, list[tuple[int, int]]]:
    """(φ, ϕ) of each level of each slice, by its start: counts of events."""
    slices = Slices(made._address)
    shape = (slices.height, 2, made._plan.state_words)
    return {
        number * 5: [tuple(level) for level in record.reshape(shape)[:, :, 0].tolist()]
        for number, record in held_records(slices.pages)
    }


def test_fig_8_an_event_of_seven_slices_goes_into_level_4_and_level_3():
    made = spans.make("se_ml_slicing", FIFTEEN_BY_FIVE, COUNT, height=4)
    made.insert_span(7, 38)
    assert levels_of(made) == {35: [(0, 0)] * 3 + [(1, 0)], 15: [(0, 0), (0, 0), (0, 1), (0, 0)]}
    made.check()


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "options"), WAYS, ids=str)
def test_any_window_has_what_a_plain_look_finds_whatever_came_went_and_was_saved(kernel, options):
    rng = random.Random(str((kernel, options)))
    aggregates = {name: BOTH[name] for name in SERVED.get(kernel, BOTH)}
    for _ in range(RUNS):
        size, slide, base = rng.randint(1, 30), rng.randint(1, 12), rng.choice((0, -500, 10**15))
        window = spanning(size * US, slide * US, longest=DAY)
        made = spans.make(kernel, window, aggregates, column_types={"value": "int64"}, **options)
        play(made, rng, (size, slide, base), aggregates)


def play(made, rng: random.Random, grid: tuple[int, int, int], aggregates: dict) -> None:
    size, slide, base = grid
    events, floor = [], base - 1000
    for _ in range(rng.randint(1, 60)):
        start = base + rng.randint(0, 200)  # late ones too, behind what was evicted
        events.append((start, start + rng.choice((0, 1, 2, 5, 20, 90)), rng.randint(-50, 50)))
        made.insert_span(*events[-1])
        if rng.random() < 0.1:
            floor = max(floor, (base + rng.randint(-size, 250)) // slide * slide)
            made.evict(floor - 1)
        if rng.random() < 0.1:
            made.load(made.save())
        made.check()
        low = (base + rng.randint(-size, 300)) // slide * slide
        if low >= floor:
            values = values_within(events, low, low + size)
            wanted = {"total": sum(values) if values else None, "greatest": max(values, default=None)}
            assert made.state(low, low + size) == {name: wanted[name] for name in aggregates}


@pytest.mark.parametrize(("kernel", "options"), WAYS, ids=str)
def test_nothing_is_left_when_no_window_needs_it(kernel, options):
    """Also over gaps of years, whose slices and windows are not there."""
    aggregates = {name: BOTH[name] for name in SERVED.get(kernel, BOTH)}
    made = spans.make(kernel, FIFTEEN_BY_FIVE, aggregates, column_types={"value": "int64"}, **options)
    made.insert_span(0, 12, 1)
    made.insert_span(10**15, 10**15 + 12, 2)
    assert len(made.save()) < 1000 * (1 + options.get("height", 4))
    assert made.first_from(-100) is not None
    assert [made.first_from(time) for time in (-100, -10, -9, 10, 500)] == [-10, -10, -5, 10, 10**15 - 10]
    made.evict(10**15 + 100)
    made.insert_span(2 * 10**15, 2 * 10**15 + 1, 2)  # sweeps look through their events when more come
    made.evict(3 * 10**15)
    assert made.first_from(-100) is None


@pytest.mark.parametrize(
    ("kernel", "record", "states", "state", "damage"),
    [
        ("se_slicing", 0, 2, 1, 1 << 20),
        ("se_slicing", -1, 2, 0, 1),
        ("se_ml_slicing", -1, 8, 6, 1),
        ("aggregate_buckets", 0, 1, 0, 1),
    ],
)
def test_check_finds_states_that_count_too_many_events_or_none(kernel, record, states, state, damage):
    made, words = saved(kernel)
    held = words[SEAL_WORDS:-1]
    records = held[1:].reshape(held[0], 1 + states * made._plan.state_words)
    records[record][1 + state * made._plan.state_words] ^= damage
    assert_broken(made, words)


def test_check_finds_an_event_of_a_list_that_counts_none():
    made, words = saved("tuple_buckets")
    words[SEAL_WORDS + 3] ^= 1
    assert_broken(made, words)


@pytest.mark.parametrize(("kernel", "damage"), [("cumulative_sweeping", 1), ("selective_sweeping", 1 << 40)])
def test_check_finds_an_event_that_ended_more_often_than_it_began_or_before(kernel, damage):
    made, words = saved(kernel)
    words[SEAL_WORDS + 1] ^= damage
    assert_broken(made, words)


def saved(kernel: str):
    """An object with some events, and all that it holds."""
    aggregates = {name: BOTH[name] for name in SERVED.get(kernel, BOTH)}
    made = spans.make(kernel, FIFTEEN_BY_FIVE, aggregates, column_types={"value": "int64"})
    for start in range(0, 100, 7):
        made.insert_span(start, start + 60, start)
    made.check()
    return made, made.save()


def assert_broken(made, words: np.ndarray) -> None:
    made.load(sealed(int(words[0]), words[SEAL_WORDS:]))
    with pytest.raises(AssertionError, match=r"^\w+( \w+)?: "):
        made.check()


SEEDS, STREAMS = (50, 100) if not config.DISABLE_JIT else (4, 6)
YEARS = timedelta(days=3 * 365)
LENGTHS = {"points": (0, 1), "short": (0, 1, 2, 3), "mixed": (0, 1, 4, 9, 30), "long": (20, 40, 60)}


def random_query(rng: random.Random) -> Query:
    origin = rng.choice((None, EPOCH + 3 * US, EPOCH - 7 * US))
    window = spanning(rng.randint(1, 24) * US, rng.randint(1, 12) * US, origin, longest=rng.choice((9, 60, 60)) * US)
    lateness, allowed = rng.choice((0, 0, 1, 5, 30)) * US, rng.choice((0, 0, 1, 7, 20, 200)) * US
    return ask(window, rng.choice(("final", "watermark", "arrival")), lateness, allowed, aggregates=BOTH)


def random_spans(rng: random.Random) -> list[dict]:
    """Arrivals near the ends of events, some much later, in bursts, and at times with a gap of years."""
    lengths, gap, found = LENGTHS[rng.choice(list(LENGTHS))], rng.choice((0, 0, 0, 1)) * YEARS, []
    for seq in range(rng.randint(1, 30)):
        start = EPOCH + rng.randint(0, 60) * US + gap * rng.randrange(2)
        end = start + rng.choice(lengths) * US
        times = {"start": start, "end": end, "arrival": end + rng.choice((0, 0, 0, 1, 5, 40, -2)) * US}
        found.append(times | {"key": rng.choice("ab"), "seq": seq, "value": rng.randint(-9, 9)})
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_5_000_random_replays_have_the_oracles_rows(seed, monkeypatch):
    monkeypatch.setattr(entry, "LEAST_PATIENCE", seed % 4 // 2 * 32)
    monkeypatch.setattr(se_slicing, "MOST_FOLDED", seed % 2 * 16)
    rng = random.Random(seed)
    for _ in range(STREAMS):
        events, query, complete = random_spans(rng), random_query(rng), rng.random() < 0.5
        wanted, given = oracle.replay(events, query, complete), table(events)
        for kernel in (None, *spans.kernels()):
            served = {name: BOTH[name] for name in SERVED.get(kernel, BOTH)}
            asked, names = replace(query, aggregates=served), [*query.key, *WINDOW_COLUMNS, *served]
            options = {"height": rng.randint(1, 9)} if kernel == "se_ml_slicing" else {}
            found = replay_table(given, asked, complete, kernel, options).to_pylist()
            assert found == [{name: row[name] for name in names} for row in wanted], (kernel, options, events, asked)


@pytest.mark.parametrize("patience", [0, 32])
@pytest.mark.parametrize("emit", ["final", "watermark", "arrival"])
def test_the_sketch_of_a_window_has_what_ends_in_it_and_what_goes_on_behind_it(monkeypatch, emit, patience):
    monkeypatch.setattr(entry, "LEAST_PATIENCE", patience)
    starts = np.arange(0, 600, 10)
    ends, values = starts + 25, np.random.default_rng(2).permutation(len(starts))
    columns = columns_of(zip(starts, starts, values.tolist(), ends, strict=True))
    rules = ReplayRules(0, 0, emit, complete_tick_us=10_000)
    plan = AggregatePlan((AggregateSpec("approx_quantile", 0),))
    made = replay_keys(columns, WindowSpec("spanning", 100, 10), plan, PassTicks(starts, starts), rules)
    newest = dict(zip(made.window_start.tolist(), made.outputs[0].tolist(), strict=True))
    assert len(newest) == 71
    for low, median in newest.items():
        held = sorted(values[(starts < low + 100) & (ends > low)].tolist())
        assert median == held[(len(held) + 1) // 2 - 1], low
