"""Where every law holds on the oracle's rows, and finds what is wrong. For every window kind and emit, on each day, in
any disorder: test_days_at_once.py."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.small_lake import (
    DAY,
    DAYS,
    FIRST_DAY,
    STREAM,
    SmallLake,
    asked,
    choose,
    make_lake,
    random_events,
    replayed_lake,
)  # fmt: skip
from tests.support.small_windows import AGGREGATES
from windrow.schemas.query import agg
from windrow.schemas.tables import silver_table

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("wait", ["lateness", "allowed_lateness"])
@pytest.mark.parametrize("long", [timedelta(days=1_000_000), timedelta.max], ids=str)
@pytest.mark.parametrize("kind", ["sliding", "rolling", "spanning"])
def test_a_run_may_wait_for_longer_than_there_are_days(config, kind, wait, long):
    made = replayed_lake(config, asked(kind, **{wait: long}), random_events(seed=1))
    assert [made.failing(day) for day in DAYS] == [set()] * len(DAYS)


@pytest.mark.parametrize("kind", ["sliding", "calendar day", "rolling", "spanning"])
def test_the_last_day_of_a_stream_takes_the_watermark_to_infinity(config, kind):
    last_day = FIRST_DAY + 2 * DAY
    made = make_lake(config, asked(kind), random_events(seed=7), replace(STREAM, last_day=last_day))
    assert made.failing(last_day) == set()
    without_end = replace(made, stream=replace(made.stream, last_day=None))
    assert "law 4" in without_end.failing(last_day)


@pytest.mark.parametrize(("kind", "emit"), [("sliding", "watermark"), ("rolling", "final")])
def test_laws_hold_where_silence_moves_the_watermark(config, kind, emit):
    """Nothing arrives on the second day, and on the third before 06:00 and after 18:00."""
    events = [
        event
        for event in random_events(seed=8)
        if event["arrival"].date() == DAYS[0]
        or (event["arrival"].date() == DAYS[2] and 6 <= event["arrival"].hour < 18)
    ]
    made = make_lake(config, asked(kind, emit), events, replace(STREAM, idle_after=timedelta(minutes=50)))
    at_heartbeats = {row["emitted_at"] for row in made.rows(made.tables.audit)} - {each["arrival"] for each in events}
    assert {at.date() for at in at_heartbeats} == {*DAYS}
    assert [made.failing(day) for day in DAYS] == [set()] * len(DAYS)
    assert replace(made, stream=STREAM).failing(DAYS[1]), "silence has not moved the watermark"


def test_a_day_before_all_events_has_nothing_to_check_nor_has_a_stream_without_any(config):
    made = make_lake(config, asked(), random_events(seed=1))
    assert {verdict.figure.split(" ")[0] for verdict in made.verdicts(FIRST_DAY - 9 * DAY).values()} == {"0"}
    made = make_lake(config, asked("rolling"), [])
    assert made.rows(silver_table(STREAM)) == [] and made.failing(FIRST_DAY) == set()


def test_an_aggregate_that_law_5_can_not_recount_is_named_and_the_others_are_checked(config):
    made = make_lake(config, asked(), random_events(seed=5))
    changed = replace(
        made, query=asked(aggregates={**AGGREGATES, "most": agg("spread", "whole"), "mean": agg("product", "real")})
    )
    before, verdict = (each.verdicts(DAYS[1])["law 5"] for each in (made, changed))
    assert before.passed and "not recounted" not in before.figure
    assert verdict.passed and verdict.figure == f"{before.figure} (not recounted: mean, most)"
    made.rewrite(made.tables.audit, [{**row, "most": 1_000_000} for row in made.rows(made.tables.audit)])
    assert (made.failing(DAYS[1]), changed.failing(DAYS[1])) == ({"law 5"}, set())
    made.rewrite(made.tables.audit, [{**row, "least": -1e9} for row in made.rows(made.tables.audit)])
    assert changed.failing(DAYS[1]) == {"law 5"}


MORE = {
    "opening": agg("first", "real", nulls=True),
    "closing": agg("last", "whole", nulls=True),
    "spread": agg("range", "whole"),
    "real_spread": agg("range", "real"),
    "some": agg("any", "whole"),
    "each": agg("all", "whole"),
    "sample": agg("std", "real"),
    "whole_std": agg("std", "whole", ddof=0),
    "squares": agg("variance", "real", ddof=0),
    "sample_squares": agg("variance", "whole"),
}


EXACT = {
    "first_key": agg("min", "key"),
    "last_key": agg("max", "key"),
    "keys": agg("count_distinct", "key"),
    "most_seen": agg("mode", "key"),
    "middle": agg("median", "whole"),
    "real_middle": agg("median", "real"),
    "high": agg("quantile", "real", q=0.9, exact=True),
    "wholes": agg("count_distinct", "whole"),
    "often": agg("mode", "whole"),
    "second_key": agg("top_k", "key", k=2),
    "third": agg("top_k", "whole", k=3),
}
IN_ORDER = {
    "first": agg("first", "whole"),
    "last": agg("last", "real"),
    "first_key": agg("first", "key"),
    "per_s": agg("rate", "real"),
    "key_of_least": agg("argmin", "whole", "key"),
    "at_most": agg("argmax", "whole"),
    "whole_at_most": agg("argmax", "real", "whole"),
    "run": agg("longest_run", "whole"),
    "until": agg("longest_run_end", "real"),
}
FILTERED = {
    "some": agg("count", where="key <> 'a' AND whole > 0"),
    "doubled": agg("sum", "whole * 2 - 1", where="key = 'b' OR end > start"),
    "per_whole": agg("mean", "real / whole"),
    "least_key": agg("min", "key", where="real > 1.5 * whole"),
    "positive": agg("any", "whole + real > 0", where="key IS NOT NULL"),
    "key_of_least": agg("argmin", "-whole", "key", where="NOT key IN ('a', 'b')"),
    "middle": agg("median", "whole + 0.5", where="arrival > TIMESTAMP '2024-03-09 12:00:00Z'"),
    "first": agg("first", "real", where="whole BETWEEN -20 AND 20"),
}
OF_SHARES = {name: FILTERED[name] for name in ("some", "doubled", "per_whole")}
WRONG = {str: "zz", int: 12_345_678, float: -1e9, datetime: datetime(1999, 1, 1, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("kind", "aggregates"),
    [
        *((kind, EXACT) for kind in ("sliding", "rolling", "spanning")),
        *((kind, each) for kind in ("sliding", "rolling") for each in (IN_ORDER, MORE, FILTERED)),
        ("spanning", {name: FILTERED[name] for name in ("some", "doubled", "least_key", "middle")}),
        ("prorated", OF_SHARES),
    ],
)
def test_law_5_recounts_truths_deviations_strings_order_statistics_and_what_depends_on_order(config, kind, aggregates):
    made = make_lake(config, asked(kind, key=(), aggregates=aggregates), random_events(seed=4))
    assert "not recounted" not in made.verdicts(DAYS[1])["law 5"].figure
    assert made.failing(DAYS[1]) == set()
    rows = made.rows(made.tables.audit)
    for name in aggregates if kind == "sliding" else ():
        found = next(row[name] for row in rows if row[name] is not None)
        wrong = [{**row, name: not row[name] if isinstance(found, bool) else WRONG[type(found)]} for row in rows]
        made.rewrite(made.tables.audit, wrong)
        assert made.failing(DAYS[1]) == {"law 5"}, name


# Finite values whose sum is beyond float64 on the way, or for good.
LARGEST = 1.7e308
SUMS = {"total": agg("sum", "real"), "mean": agg("mean", "real")}


def of_values(config, values: tuple[float, ...]) -> SmallLake:
    events = [{**each, "real": values[number % len(values)]} for number, each in enumerate(random_events(seed=2))]
    return replayed_lake(config, asked(aggregates=SUMS, emit="final"), events)


@pytest.mark.parametrize("values", [(1e308, LARGEST), (LARGEST, -LARGEST, 1e308), (-LARGEST,), (1e308, 1.0, None)])
def test_kernel_and_recount_agree_on_sums_beyond_float64_and_on_their_means(config, values):
    made = of_values(config, values)
    rows = made.rows(made.tables.audit)
    assert [made.failing(day) for day in DAYS] == [set()] * len(DAYS)
    means = [row["mean"] for row in rows if row["mean"] is not None]
    assert all(math.isfinite(mean) for mean in means)
    assert any(math.isinf(row["total"]) for row in rows if row["total"] is not None)


@pytest.mark.parametrize(
    ("values", "wrong", "failing"),
    [
        *(((1e308, LARGEST), {name: wrong}, {"law 5"}) for name in SUMS for wrong in (1.0, -math.inf)),
        ((1e308, LARGEST), {"mean": math.inf}, {"law 5"}),
        ((1e308,), {"mean": 1e308 * (1 + 1e-10)}, set()),
        ((1e308,), {"mean": 1e308 * (1 + 1e-7)}, {"law 5"}),
    ],
)
def test_next_to_a_sum_beyond_float64_a_value_is_off_by_rounding_or_found(config, values, wrong, failing):
    made = of_values(config, values)
    rows = made.rows(made.tables.audit)
    chosen = choose(rows, lambda row: row["emitted_date"] == DAYS[1] and row["total"] == math.inf)
    made.change(made.tables.audit, chosen, **wrong)
    assert made.failing(DAYS[1]) == failing
