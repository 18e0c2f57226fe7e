"""Of windows that depend on their key's other events all rows of drawn keys are those of a plain replay: faults that
the bounds of the other laws let pass are found."""

from collections.abc import Callable
from datetime import timedelta
from itertools import product
from operator import itemgetter

import pytest

from pipelines.config import Config
from pipelines.gate.recount import drawn
from pipelines.gate.recount.plain.aggregates import aggregate
from pipelines.ledger import code_hash
from schemas.query import EMITS, agg, frame
from schemas.tables import silver_table
from tests.gate.test_dependent_windows import DAY, DRAWN, WINDOWS, lake_of, lake_with
from tests.support.small_lake import DAYS, STREAM, SmallLake, asked, random_events

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(3)]  # three days each

ONE = timedelta(microseconds=1)
AGGREGATES = {"n": agg("count"), "total": agg("sum", "whole"), "mean": agg("mean", "real"), "std": agg("std", "real")}


@pytest.fixture
def config(tmp_path, monkeypatch) -> Config:
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    return Config(tmp_path, tmp_path)


def rows_of_day(made: SmallLake) -> list[dict]:
    rows = [row for row in made.rows(made.tables.audit) if row["emitted_date"] == DAY]
    return sorted(rows, key=lambda row: (row["emitted_at"], repr(row)))


def newest_of(rows: list[dict]) -> list[dict]:
    names, in_order = ("key", "window_start", "window_end", "window_number"), sorted(rows, key=itemgetter("revision"))
    return list({tuple(row[name] for name in names): row for row in in_order}.values())


def without_one(made: SmallLake) -> list[dict]:
    """The newest row of a window is missing."""
    rows = rows_of_day(made)
    gone = newest_of(rows)[-1]
    return [row for row in rows if row != gone]


def with_another_value(made: SmallLake) -> list[dict]:
    """Of a row that a newer one replaces."""
    rows, newest = rows_of_day(made), newest_of(rows_of_day(made))
    old = next((row for row in rows if row not in newest and row["events"]), rows[0])
    return [{**row, "total": (row["total"] or 0) + 1} if row is old else row for row in rows]


def with_an_event_less(made: SmallLake) -> list[dict]:
    rows = rows_of_day(made)
    chosen = next(row for row in rows if row["events"] > 2)
    return [{**row, "events": row["events"] - 1, "n": row["n"] - 1} if row is chosen else row for row in rows]


def with_the_last_event_moved(made: SmallLake) -> list[dict]:
    """Out of a window, which ends at the event before."""
    rows = rows_of_day(made)
    place, held = next((n, held) for n, row in enumerate(rows) if (held := held_by(made, row)))
    return [*rows[:place], of_events(made, rows[place], held[:-1]), *rows[place + 1 :]]


def with_a_window_split(made: SmallLake) -> list[dict]:
    """In two, that have its events."""
    rows = rows_of_day(made)
    place, held = next((n, held) for n, row in enumerate(rows) if (held := held_by(made, row)))
    halves = [of_events(made, rows[place], half) for half in (held[: len(held) // 2], held[len(held) // 2 :])]
    return [*rows[:place], *halves, *rows[place + 1 :]]


def held_by(made: SmallLake, row: dict) -> list[dict]:
    """The events between a row's times, where it has these and no other, two at least, each at a time of its own, and
    none that was late."""
    column = getattr(made.query.window, "column", "start")
    known = [each for each in made.rows(silver_table(STREAM)) if each["arrival"] <= row["emitted_at"]]
    inside = [each for each in known if row["window_start"] <= each["start"] < row["window_end"]]
    events = [each for each in inside if each["key"] == row["key"] and each[column] is not None]
    events.sort(key=itemgetter("start"))
    alone = len({event["start"] for event in events}) == len(events) >= 2
    return events if alone and not row["late_events"] and row["revision"] == 0 and len(events) == row["events"] else []


def of_events(made: SmallLake, row: dict, events: list[dict]) -> dict:
    """The row as if its window had these events."""
    times = {"window_start": events[0]["start"], "window_end": events[-1]["start"] + ONE, "events": len(events)}
    return {**row, **times, **{name: aggregate(each, events) for name, each in made.query.aggregates.items()}}


FRAMES = [kind for kind in WINDOWS if kind.startswith("frame.")]
FAULTS: list[tuple[str, Callable[[SmallLake], list[dict]]]] = [
    *product(WINDOWS, (without_one, with_another_value)),
    *product(FRAMES, (with_the_last_event_moved, with_a_window_split)),
    ("delta", with_an_event_less),
]
NEVER_REVISED = ("count", "frame.aggregate")
"""On this day: another law looks at every value of theirs."""


@pytest.mark.parametrize(("kind", "fault"), FAULTS)
def test_faults_are_found_of_which_bounds_say_nothing(config, kind, fault):
    made = lake_of(config, kind, aggregates=AGGREGATES)
    assert made.failing(DAY) == set()
    others = [row for row in made.rows(made.tables.audit) if row["emitted_date"] != DAY]
    made.rewrite(made.tables.audit, [*others, *fault(made)])
    found_before = {"law 5"} if fault is with_another_value and kind in NEVER_REVISED else set()
    assert made.failing(DAY) == {DRAWN} | found_before
    verdict = made.verdicts(DAY)[DRAWN]
    assert verdict.offending is not None


@pytest.mark.parametrize(("kind", "emit"), list(product(WINDOWS, EMITS)))
def test_what_a_run_makes_is_a_plain_replay_of_every_key_and_all_laws_hold(config, kind, emit):
    made = lake_of(config, kind, emit)
    for day in DAYS:
        rows = sum(row["emitted_date"] == day for row in made.rows(made.tables.audit))
        drawn_all = f"0 of {rows} rows of 4 keys, drawn of 4 with {rows} rows, are others than a plain replay's"
        assert rows > 2 * (day == DAY)
        assert made.verdicts(day)[DRAWN].figure == drawn_all and made.failing(day) == set()
    assert kind != "count" or made.rows(made.tables.late_audit) == []


def test_a_run_draws_the_same_keys_each_time_as_many_as_may_be(config, monkeypatch):
    made = lake_of(config, "session")
    monkeypatch.setattr(drawn, "KEYS", 2)
    first = made.verdicts(DAY)[DRAWN]
    assert " rows of 2 keys, drawn of 4 with " in first.figure and first.passed
    assert made.verdicts(DAY)[DRAWN] == first
    for limit in ("EVENTS", "STEPS"):
        with monkeypatch.context() as small:
            small.setattr(drawn, limit, 1)
            assert "0 of 0 rows of 0 keys, drawn of 4 with " in made.verdicts(DAY)[DRAWN].figure


def test_windows_that_a_rounded_aggregate_cuts_are_left_out(config):
    made = lake_with(config, asked(window=frame.aggregate("std", "whole", 3)), random_events(seed=5, count=80))
    assert made.verdicts(DAY)[DRAWN].figure == "does not apply: windows that std cuts"
