"""The laws on windows that depend on their key's other events hold on what a run makes and fail on rows that break
them; rows of drawn keys are those of a plain replay, which finds what the bounds of the other laws let pass."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import product
from operator import itemgetter

import pytest

from tests.support.replay.work import run_day
from tests.support.small_lake import DAYS, HOUR, STREAM, SmallLake, asked, choose, random_events, replayed_lake
from tests.support.small_windows import DEPENDENT, MINUTE
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount import drawn
from windrow.pipelines.gate.recount.plain.aggregates import aggregate
from windrow.pipelines.ledger import code_hash
from windrow.schemas.query import EMITS, Query, agg, count, frame
from windrow.schemas.tables import silver_table

SESSIONS = ("session", "session by column")
# Named as the recount's own columns, some of them.
AGGREGATES = {"row": agg("count"), "total": agg("sum", "whole"), "most": agg("max", "real"), "closed_us": agg("count"),
              "newest": agg("count", "whole"), "least": agg("min", "real"), "first": agg("first", "whole"),
              "place_in_order": agg("rate", "real"), "started_us": agg("argmax", "whole"),
              "kept": agg("count", where="whole > 0 OR real < 0"),
              "until": agg("sum", "whole * 2 + 1", where="NOT start = end")}  # fmt: skip
# Of these no grouping says by when they were passed, or what is in them.
NOT_BY_THEIR_ENDS = ("count", "delta", "frame.threshold", "frame.delta", "frame.aggregate", "frame.boundary")
DRAWN = "law 5, drawn keys"
NO_EVENT, MICROSECOND = {"events": 0, "late_events": 0}, timedelta(microseconds=1)
DAY = DAYS[1]
pytestmark = [pytest.mark.slow, pytest.mark.few_tests(5)]  # three days each


@pytest.fixture
def config(tmp_path, monkeypatch) -> Config:
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    return Config(tmp_path, tmp_path)


def lake_of(config: Config, kind: str, emit: str = "watermark", aggregates: dict = AGGREGATES) -> SmallLake:
    """Audit rows of three days by the kernels, each day's as if the days before were published."""
    query = asked(window=DEPENDENT[kind], emit=emit, aggregates=aggregates)
    return lake_with(config, query, random_events(seed=5, count=250))


def lake_with(config: Config, query: Query, events: list[dict]) -> SmallLake:
    made = replayed_lake(config, query, events, run_day)
    Lake(config).ensure(made.tables.results)
    Lake(config).append(made.tables.results, Lake(config).read(made.tables.audit.name))
    return made


def audit_row(made: SmallLake, holds=lambda row: True) -> dict:
    return choose(made.rows(made.tables.audit), lambda row: row["emitted_date"] == DAY and row["events"] and holds(row))


@pytest.mark.parametrize("kind", DEPENDENT)
def test_rows_that_silver_can_not_have_made_are_found(config, kind):
    made = lake_of(config, kind)
    right, row = made.rows(made.tables.audit), audit_row(made)
    others = [each for each in right if each != row]
    for law, rows in (
        (None, right),
        ("law 3", [*others, row | {"events": row["events"] + 1_000}]),
        ("law 3", [*others, row | {"window_start": row["window_start"] - MICROSECOND}]),
        ("law 3", [*right, row | NO_EVENT | {"revision": 0, "window_start": row["window_start"] - HOUR}]),
        ("law 4", [*others, row | {"revision": row["revision"] + 1}]),
        ("law 4", [*others, row | {"emitted_at": row["emitted_at"] + MICROSECOND}]),
        ("law 4", [*right, row]),
    ):
        made.rewrite(made.tables.audit, rows)
        assert law in made.failing(DAY) if law else made.failing(DAY) == set(), rows
    wrong = {"early": "late", "late": "on_time", "on_time": "late"}[row["pane"]]
    made.rewrite(made.tables.audit, [*others, row | {"pane": wrong}])
    assert ("law 4" in made.failing(DAY)) == (kind not in NOT_BY_THEIR_ENDS)


def test_a_window_with_another_value_is_found(config):
    made = lake_of(config, "session")
    rows = [row for row in made.rows(made.tables.audit) if row["emitted_date"] == DAY and row["events"]]
    of_window = Counter((row["key"], row["window_start"], row["window_end"]) for row in rows)
    alone = [row for row in rows if of_window[row["key"], row["window_start"], row["window_end"]] == 1]
    found = 0
    for row in alone[:6]:
        made.change(made.tables.audit, row, total=(row["total"] or 0) + 1)
        found += made.failing(DAY) == {"law 5", DRAWN}
        made.change(made.tables.audit, {**row, "total": (row["total"] or 0) + 1}, total=row["total"])
    assert found >= 4, "all but those that a later event of the day lies in"
    assert made.failing(DAY) == set()


def test_law_5_takes_events_of_count_windows_by_arrival_in_order_of_time(config):
    first, second = random_events(seed=5, count=2)
    noon = datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC)
    pair = [{**each, "key": "a", "whole": whole, "start": noon + start * MINUTE, "end": noon + start * MINUTE,
             "arrival": noon + arrival * MINUTE}
            for each, whole, start, arrival in ((first, 9, 9, 10), (second, 1, 1, 11))]  # fmt: skip
    made = lake_with(config, asked(window=count(2, 2), aggregates={"first": agg("first", "whole")}), pair)
    row = audit_row(made)
    assert row["first"] == 1 and made.failing(DAY) == set()
    made.change(made.tables.audit, row, first=9)
    assert made.failing(DAY) == {"law 5", DRAWN}


@pytest.mark.takes(40)
@pytest.mark.parametrize("kind", SESSIONS)
def test_a_session_that_is_closed_and_stands_alone_or_ends_next_to_an_event_of_its_own_is_found(config, kind):
    made = lake_of(config, kind)
    right = made.rows(made.tables.audit)
    closed = audit_row(made, lambda row: row["revision"] == 0) | dict.fromkeys(AGGREGATES) | NO_EVENT
    made.add(made.tables.audit, closed | {"revision": 1, "pane": "late"})
    assert "law 3" in made.failing(DAY)
    made.rewrite(made.tables.audit, right)
    row = audit_row(made, lambda row: row["events"] > 1)
    made.change(made.tables.audit, row, window_end=row["window_end"] - timedelta(seconds=1))
    assert "law 3" in made.failing(DAY)


@pytest.mark.parametrize("kind", ["session", "delta", "frame.delta"])
def test_a_late_row_that_is_missing_is_found(config, kind):
    made = lake_of(config, kind)
    late = choose(made.rows(made.tables.late_audit), lambda row: row["arrival_date"] == DAY)
    made.change(made.tables.late_audit, late, windows_missed=1)
    assert made.failing(DAY) == {"law 2"}
    made.delete(made.tables.late_audit, {**late, "windows_missed": 1})
    assert made.failing(DAY) == {"law 2"}


SUMS = {"n": agg("count"), "total": agg("sum", "whole"), "mean": agg("mean", "real"), "std": agg("std", "real")}


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
    times = {"window_start": events[0]["start"], "window_end": events[-1]["start"] + MICROSECOND, "events": len(events)}
    return {**row, **times, **{name: aggregate(each, events) for name, each in made.query.aggregates.items()}}


FRAMES = [kind for kind in DEPENDENT if kind.startswith("frame.")]
FAULTS: list[tuple[str, Callable[[SmallLake], list[dict]]]] = [
    *product(DEPENDENT, (without_one, with_another_value)),
    *product(FRAMES, (with_the_last_event_moved, with_a_window_split)),
    ("delta", with_an_event_less),
]
NEVER_REVISED = ("count", "frame.aggregate")
"""On this day: another law looks at every value of theirs."""


@pytest.mark.parametrize(("kind", "fault"), FAULTS)
def test_faults_are_found_of_which_bounds_say_nothing(config, kind, fault):
    made = lake_of(config, kind, aggregates=SUMS)
    assert made.failing(DAY) == set()
    others = [row for row in made.rows(made.tables.audit) if row["emitted_date"] != DAY]
    made.rewrite(made.tables.audit, [*others, *fault(made)])
    found_before = {"law 5"} if fault is with_another_value and kind in NEVER_REVISED else set()
    assert made.failing(DAY) == {DRAWN} | found_before
    verdict = made.verdicts(DAY)[DRAWN]
    assert verdict.offending is not None


@pytest.mark.parametrize(("kind", "emit"), list(product(DEPENDENT, EMITS)))
def test_what_a_run_makes_is_a_plain_replay_of_every_key_and_all_laws_hold(config, kind, emit):
    made, least = lake_of(config, kind, emit), 2 if (kind, emit) == ("delta", "arrival") else 3
    for day in DAYS:
        rows = sum(row["emitted_date"] == day for row in made.rows(made.tables.audit))
        drawn_all = f"0 of {rows} rows of 4 keys, drawn of 4 with {rows} rows, are others than a plain replay's"
        assert rows >= least or day != DAY
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
