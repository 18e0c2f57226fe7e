"""Law 5 over finite values whose sum is beyond float64 on the way, or for good: kernel and recount agree, and a value
that is wrong is still found."""

import math

import pytest

from pipelines.config import Config
from schemas.query import agg
from tests.support.small_lake import DAYS, SmallLake, asked, choose, random_events, replayed_lake

pytestmark = pytest.mark.slow

LARGEST = 1.7e308
AGGREGATES = {"total": agg("sum", "real"), "mean": agg("mean", "real")}


def replayed(tmp_path, values: tuple[float, ...]) -> SmallLake:
    events = [{**each, "real": values[number % len(values)]} for number, each in enumerate(random_events(seed=2))]
    return replayed_lake(Config(tmp_path, tmp_path), asked(aggregates=AGGREGATES, emit="final"), events)


@pytest.mark.parametrize("values", [(1e308, LARGEST), (LARGEST, -LARGEST, 1e308), (-LARGEST,), (1e308, 1.0, None)])
def test_kernel_and_recount_agree_on_sums_beyond_float64_and_on_their_means(tmp_path, values):
    made = replayed(tmp_path, values)
    rows = made.rows(made.tables.audit)
    assert [made.failing(day) for day in DAYS] == [set()] * len(DAYS)
    means = [row["mean"] for row in rows if row["mean"] is not None]
    assert all(math.isfinite(mean) for mean in means)
    assert any(math.isinf(row["total"]) for row in rows if row["total"] is not None)


@pytest.mark.parametrize(
    ("values", "wrong", "failing"),
    [
        *(((1e308, LARGEST), {name: wrong}, {"law 5"}) for name in AGGREGATES for wrong in (1.0, -math.inf)),
        ((1e308, LARGEST), {"mean": math.inf}, {"law 5"}),
        ((1e308,), {"mean": 1e308 * (1 + 1e-10)}, set()),
        ((1e308,), {"mean": 1e308 * (1 + 1e-7)}, {"law 5"}),
    ],
)
def test_next_to_a_sum_beyond_float64_a_value_is_off_by_rounding_or_found(tmp_path, values, wrong, failing):
    made = replayed(tmp_path, values)
    rows = made.rows(made.tables.audit)
    chosen = choose(rows, lambda row: row["emitted_date"] == DAYS[1] and row["total"] == math.inf)
    made.change(made.tables.audit, chosen, **wrong)
    assert made.failing(DAYS[1]) == failing
