"""Every kernel of spans gives, for every window and revision, the oracle's rows; a sketch those of a plain look."""

import random
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from numba import config

from kernels import spans
from kernels.monoids import AggregateSpec
from kernels.replay import AggregatePlan, PassTicks, ReplayRules, WindowSpec, entry, replay_keys
from kernels.spans import se_slicing
from pipelines.gate.recount.plain.ticks import EPOCH
from schemas.query import WINDOW_COLUMNS, Query, agg, spanning
from tests.support.kernels.columns import columns_of
from tests.support.local import replay_table
from tests.support.oracle import oracle
from tests.support.semantics.queries import ask
from tests.support.semantics.spec_tables import table

SEEDS, STREAMS = (50, 100) if not config.DISABLE_JIT else (4, 6)
US, YEARS = timedelta(microseconds=1), timedelta(days=3 * 365)
ALL = {"total": agg("sum", "value"), "greatest": agg("max", "value")}
SERVED = {"cumulative_sweeping": ("total",), "selective_sweeping": ("greatest",)}
"""Of kernels that don't serve both."""
LENGTHS = {"points": (0, 1), "short": (0, 1, 2, 3), "mixed": (0, 1, 4, 9, 30), "long": (20, 40, 60)}


def random_query(rng: random.Random) -> Query:
    origin = rng.choice((None, EPOCH + 3 * US, EPOCH - 7 * US))
    window = spanning(rng.randint(1, 24) * US, rng.randint(1, 12) * US, origin, longest=rng.choice((9, 60, 60)) * US)
    lateness, allowed = rng.choice((0, 0, 1, 5, 30)) * US, rng.choice((0, 0, 1, 7, 20, 200)) * US
    return ask(window, rng.choice(("final", "watermark", "arrival")), lateness, allowed, aggregates=ALL)


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
            served = {name: ALL[name] for name in SERVED.get(kernel, ALL)}
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
