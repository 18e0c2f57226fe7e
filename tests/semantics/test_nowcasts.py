"""Nowcasts are the plain oracle's, nothing that came later leaks into them, and intervals hold what they promise."""

import math
from datetime import UTC, date, datetime, timedelta
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import windrow
from tests.support.oracle import nowcast as oracle
from windrow.pipelines.nowcast import estimates
from windrow.pipelines.nowcast.nowcasts import nowcasts
from windrow.pipelines.rows.arrays import TIME, times
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import Query, agg, month, rolling, session, sliding, spanning, tumbling

FIRST_DAY, DAY, HOUR, MINUTE = date(2024, 3, 9), timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
BEGIN = datetime(2024, 3, 9, tzinfo=UTC)
DAY_US, HOUR_US = DAY // timedelta(microseconds=1), HOUR // timedelta(microseconds=1)
pytestmark = pytest.mark.slow


def asked(**changes) -> Query:
    of = {
        "window": tumbling(HOUR), "key": ("place",), "lateness": timedelta(0), "allowed_lateness": 6 * HOUR,
        "aggregates": {"n": agg("count"), "weight": agg("sum", "weight"), "most": agg("max", "weight")},
        "nowcast": 2 * DAY,
    }  # fmt: skip
    return Query(**{"name": "asked", "stream": "none", **of, **changes})


def random_events(seed: int, count: int = 160) -> pa.Table:
    """Over some days, of few keys, with weights of any sign; a third arrives hours later."""
    random, found = Random(seed), []
    negative = random.choice((0, -5))
    for number in range(count):
        start = BEGIN + timedelta(seconds=random.randrange(4 * 86_400))
        delay = random.choice((0, 1, 7, 30, 90, 400)) * MINUTE
        weight = random.choice((None, random.uniform(negative, 5)))
        found.append({"place": random.choice(("east", "west", None)), "weight": weight, "start": start,
                      "end": start + delay, "arrival": start + delay, "seq": number})  # fmt: skip
    types = {"place": pa.string(), "weight": pa.float64(), **dict.fromkeys(("start", "end", "arrival"), TIME)}
    types["seq"] = pa.int64()
    return pa.Table.from_pylist(found, pa.schema(list(types.items())))


QUERIES = (
    asked(),
    asked(window=sliding(2 * HOUR, HOUR), emit="arrival", key=()),
    asked(window=spanning(2 * HOUR, HOUR, longest=8 * HOUR), emit="arrival"),
    asked(window=None, windows={"hour": tumbling(HOUR), "hours": tumbling(4 * HOUR)}),
)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("query", QUERIES, ids=["tumbling", "arrival", "spanning", "several"])
def test_they_are_those_of_the_plain_oracle(query, seed, monkeypatch):
    for module in (estimates, oracle):
        monkeypatch.setattr(module, "LEAST_ROWS", 12)
        monkeypatch.setattr(module, "ROWS_A_CELL", 20)
    rows = windrow.replay_table(random_events(seed), query).sort_by(
        [(name, "ascending") for name in (*query.window_identity, "revision")]
    )
    known = 0
    for day in (FIRST_DAY + n * DAY for n in range(1, 4)):
        found, of_oracle = nowcasts(query, rows, [day]).to_pylist(), oracle.nowcasts(rows.to_pylist(), query, day)
        assert len(found) == len(of_oracle)
        for one, other in zip(found, of_oracle, strict=True):
            expected = {name: math.nan if value is None else value for name, value in other.items()}
            of_row = {name: math.nan if one[name] is None else one[name] for name in other}
            assert of_row == pytest.approx(expected, rel=1e-6, abs=1e-9, nan_ok=True)
            known += one["n_low"] is not None
    assert known


def test_nothing_that_came_after_a_row_changes_its_nowcast():
    query, events = asked(), steady_events(days=6, a_day=400)
    rows, day = windrow.replay_table(events, query), FIRST_DAY + 5 * DAY
    noon = pa.scalar(datetime(day.year, day.month, day.day, 12, tzinfo=UTC), TIME)
    whole = nowcasts(query, rows, [day])
    rest = windrow.replay_table(events.filter(pc.less(events["arrival"], noon)), query)
    before = nowcasts(query, rest, [day])
    assert before.num_rows and before["n_low"].null_count == 0
    assert whole.filter(pc.less(whole["emitted_at"], noon)).equals(before)


def steady_events(days: int, a_day: int) -> pa.Table:
    """So many a day at any time, known after an exponential delay of 20 minutes."""
    chance, count = np.random.default_rng(7), days * a_day
    start_us = int(BEGIN.timestamp()) * 1_000_000 + np.sort(chance.integers(0, days * DAY_US, count))
    arrival = times(start_us + (chance.exponential(20 * 60, count) * 1e6).astype(np.int64))
    weight = chance.gamma(2.0, 3.0, count)
    place = pa.array(np.array(["east", "west", "north"])[chance.choice(3, count, p=(0.5, 0.3, 0.2))])
    columns = {"place": place, "weight": weight, "start": times(start_us), "end": arrival, "arrival": arrival}
    return pa.table({**columns, "seq": np.arange(count)})


def test_of_a_steady_stream_nine_intervals_of_ten_hold_the_final_value_and_the_error_falls_by_a_third():
    query = asked(nowcast=14 * DAY)
    rows = windrow.replay_table(steady_events(days=28, a_day=3_000), query, complete=True)
    days = [FIRST_DAY + n * DAY for n in range(15, 28)]
    of_day = rows.filter(pc.is_in(rows["emitted_at"].cast(pa.date32()), pa.array(days)))
    identity = [*query.window_identity, "revision"]
    found = nowcasts(query, rows, days).join(of_day.select([*identity, "n", "weight"]), identity)
    newest = rows.group_by(list(query.window_identity)).aggregate([("n", "max"), ("weight", "max")])
    found = found.join(newest, list(query.window_identity)).filter(pc.field("pane") == "on_time")
    for name in query.additive:
        expected, low, high, final, on_time = (
            found[f"{name}{suffix}"].to_numpy() for suffix in ("_expected", "_low", "_high", "_max", "")
        )
        assert 0.86 <= np.mean((low <= final) & (final <= high)) <= 0.94
        assert np.abs(expected - final).mean() <= 2 / 3 * np.abs(on_time - final).mean()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"window": rolling(HOUR)}, "rolling"),
        ({"window": session(HOUR)}, "session"),
        ({"emit": "final"}, "emit 'final'"),
        ({"aggregates": {"most": agg("max", "weight")}}, "without a count or a sum"),
        ({"nowcast": 6 * HOUR}, "6 hours; allowed: whole days, at least 1: "),
        ({"nowcast": 14 * DAY, "window": month()}, "whole days"),
        ({"nowcast": 14 * DAY, "allowed_lateness": timedelta.max}, "whole days"),
        ({"key": ("n_low",)}, "n_low"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_query_that_can_have_none_is_refused_in_a_sentence(changes, said):
    with pytest.raises(WrongParameter, match=said):
        asked(**changes)
