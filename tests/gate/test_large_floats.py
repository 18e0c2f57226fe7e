"""Law 5 over finite values whose sum is beyond float64 on the way, or for good: kernel and recount agree, and a value
that is wrong is still found."""

import math

import pytest

from pipelines.config import Config
from schemas.query import agg
from tests.support.small_lake import DAYS, SmallLake, asked, random_events, replayed_lake

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


@pytest.mark.parametrize(("column", "wrong"), [("mean", 1.0), ("mean", math.inf), ("total", 1.0), ("total", -math.inf)])
def test_a_wrong_value_next_to_a_sum_beyond_float64_is_found(tmp_path, column, wrong):
    made = replayed(tmp_path, (1e308, LARGEST))
    day = DAYS[1]
    chosen = next(
        row for row in made.rows(made.tables.audit) if row["emitted_date"] == day and row["total"] == math.inf
    )
    made.change(made.tables.audit, chosen, **{column: wrong})
    assert made.failing(day) == {"law 5"}


@pytest.mark.parametrize(("wrong", "failing"), [(1e308 * (1 + 1e-10), set()), (1e308 * (1 + 1e-7), {"law 5"})])
def test_a_mean_may_be_off_by_what_rounding_explains_and_not_by_more(tmp_path, wrong, failing):
    made = replayed(tmp_path, (1e308,))
    day = DAYS[1]
    chosen = next(
        row for row in made.rows(made.tables.audit) if row["emitted_date"] == day and row["total"] == math.inf
    )
    made.change(made.tables.audit, chosen, mean=wrong)
    assert made.failing(day) == failing
