"""Every kernel of spans gives, for every window and revision, what looking at every event gives."""

import random
from collections.abc import Iterator

import numpy as np
import pytest
from numba import config

from kernels import spans
from kernels.monoids import AggregateSpec
from kernels.replay import (
    FIRINGS,
    AggregatePlan,
    EventColumns,
    KernelChoice,
    PassTicks,
    ReplayRules,
    WindowSpec,
    entry,
    replay_keys,
)
from kernels.spans import se_slicing
from tests.kernels.test_compilation import run_as_plain_python
from tests.support.kernels.plain_spans import Question, Row, Span, rows_of

SEEDS, STREAMS = (10, 500) if not config.DISABLE_JIT else (2, 12)
YEARS_US = 3 * 365 * 86_400_000_000
ALL = {"total": AggregateSpec("sum", 0), "greatest": AggregateSpec("max", 0)}
SERVED = {"cumulative_sweeping": ("total",), "selective_sweeping": ("greatest",)}
"""Of kernels that don't serve both."""
LENGTHS = {"points": (0, 1), "short": (0, 1, 2, 3), "mixed": (0, 1, 4, 9, 30), "long": (20, 40, 60)}


def random_question(rng: random.Random) -> Question:
    size, slide = rng.randint(1, 24), rng.randint(1, 12)
    lateness, allowed = rng.choice((0, 0, 1, 5, 30)), rng.choice((0, 0, 1, 7, 20, 200))
    emit = rng.choice(("final", "watermark", "arrival"))
    return Question(size, slide, rng.choice((0, 3, -7)), lateness, allowed, emit, rng.choice((None, 10 * YEARS_US)))


def random_spans(rng: random.Random) -> list[Span]:
    """Arrivals near the ends of events, some much later, in bursts, and at times with a gap of years."""
    lengths, found = LENGTHS[rng.choice(list(LENGTHS))], []
    gap = rng.choice((0, 0, 0, YEARS_US))
    for _ in range(rng.randint(1, 30)):
        start = rng.randint(0, 60) + gap * rng.randrange(2)
        end = start + rng.choice(lengths)
        arrival = end + rng.choice((0, 0, 0, 1, 5, 40, -2))
        found.append(Span(rng.randrange(2), start, end, arrival, rng.randint(-9, 9)))
    return sorted(found, key=lambda each: (each.key, each.arrival))


def columns_of(events: list[Span]) -> EventColumns:
    keys, starts, ends, arrivals, values = (np.array(column, np.int64) for column in zip(*events, strict=True))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(keys, minlength=2))))
    return EventColumns(offsets, starts, arrivals, values[None], np.ones((1, len(events)), bool), ends)


def ticks_of(events: list[Span]) -> PassTicks:
    arriving = sorted((each.arrival, each.start) for each in events)
    newest, steps = None, {}
    for arrival, start in arriving:
        newest = start if newest is None else max(newest, start)
        steps[arrival] = newest
    return PassTicks(np.array(list(steps), np.int64), np.array(list(steps.values()), np.int64))


def replayed(events: list[Span], asked: Question, kernel: str, **options: int) -> Iterator[dict]:
    names = SERVED.get(kernel, tuple(ALL))
    rules = ReplayRules(asked.lateness, asked.allowed, asked.emit, asked.complete)
    window = WindowSpec("spanning", asked.size, asked.slide, asked.origin)
    plan = AggregatePlan(tuple(ALL[name] for name in names))
    choice = KernelChoice(kernel, tuple(options.items()))
    made = replay_keys(columns_of(events), window, plan, ticks_of(events), rules, choice)
    numbers = (made.key, made.window_start, made.window_end, made.revision)
    for place, row in enumerate(zip(*(each.tolist() for each in numbers), strict=True)):
        counts = (int(each[place]) for each in (made.emitted_at, made.events, made.late_events))
        firing = FIRINGS[made.firing[place]]
        yield dict(zip(Row._fields, (*row, firing, *counts), strict=False)) | {
            name: int(made.outputs[number, place]) for number, name in enumerate(names)
        }


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(SEEDS))
def test_5_000_random_replays_have_the_rows_of_a_plain_look_at_every_event(seed, monkeypatch):
    monkeypatch.setattr(entry, "LEAST_PATIENCE", seed % 4 // 2 * 32)
    monkeypatch.setattr(se_slicing, "MOST_FOLDED", seed % 2 * 16)
    rng = random.Random(seed)
    for _ in range(STREAMS):
        events, asked, height = random_spans(rng), random_question(rng), rng.randint(1, 9)
        wanted = [row._asdict() for row in rows_of(events, asked)]
        for kernel in spans.kernels():
            options = {"height": height} if kernel == "se_ml_slicing" else {}
            names = [*Row._fields[:8], *SERVED.get(kernel, tuple(ALL))]
            found = list(replayed(events, asked, kernel, **options))
            assert found == [{name: row[name] for name in names} for row in wanted], (kernel, events, asked, height)


@pytest.mark.nightly
def test_they_run_as_plain_python_with_every_access_checked():
    run_as_plain_python(__file__, "random_replays")
