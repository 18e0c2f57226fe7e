"""Days that are checked at once, in shares of keys or in parts of a few events get the verdicts that each day gets by
itself: the same figures and the same SQL, on rows that are right and on rows with faults of every sort, for every kind
of windows, with gaps between days.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import cycle
from random import Random
from typing import NamedTuple

import pytest

from tests.gate.test_dependent_windows import lake_of
from tests.support.lakes import gate_of
from tests.support.small_lake import DAY, FIRST_DAY, HOUR, STREAM, SmallLake, asked, make_lake, random_events
from tests.support.small_windows import DEPENDENT, WINDOWS
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.checks import find_in_rows, verdicts_on_rows
from windrow.pipelines.gate.gate import laws_of_silver
from windrow.pipelines.gate.recount import final_values
from windrow.pipelines.gate.recount.opening import recounts
from windrow.pipelines.gate.recount.query_days import ALL_KEYS, KeyShare
from windrow.pipelines.ledger import code_hash
from windrow.pipelines.ledger.entry import Run
from windrow.schemas.ledger_tables import VERDICTS
from windrow.schemas.query import EMITS
from windrow.schemas.tables import partitions_table, pass_table, silver_table

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(8)]

WEEK = [FIRST_DAY + n * DAY for n in range(5)]


class Rows(NamedTuple):
    """Of the tables that are checked, free to be spoilt."""

    audit: list[dict]
    late: list[dict]
    silver: list[dict]


def miscounted(chance: Random, rows: Rows) -> None:
    row = chance.choice(rows.audit)
    row["events"] += chance.choice((1, 7))
    row["late_events"] = chance.randrange(row["events"])


def renumbered(chance: Random, rows: Rows) -> None:
    chance.choice(rows.audit)["revision"] += 1


def of_other_panes(chance: Random, rows: Rows) -> None:
    row = chance.choice(rows.audit)
    row["pane"] = {"on_time": "late", "late": "on_time", "early": "late", "final": "late"}[row["pane"]]


def of_other_values(chance: Random, rows: Rows) -> None:
    for row in chance.sample(rows.audit, len(rows.audit) // 4):
        name = chance.choice([name for name in ("total", "least", "n", "mean", "most") if name in row])
        row[name] = (row[name] or 0) + 1


def gone(chance: Random, rows: Rows) -> None:
    rows.audit.remove(chance.choice(rows.audit))


def gone_days(chance: Random, rows: Rows) -> None:
    day = chance.choice(rows.audit)["emitted_date"]
    rows.audit[:] = [row for row in rows.audit if row["emitted_date"] != day]


def of_later_days(chance: Random, rows: Rows) -> None:
    """Windows that had closed have rows: what an earlier day knew of them is not looked at."""
    for row in chance.sample(rows.audit, min(9, len(rows.audit))):
        moved = chance.randrange(3) * DAY
        rows.audit.append({**row, "emitted_at": row["emitted_at"] + moved, "emitted_date": row["emitted_date"] + moved})


def late_rows(chance: Random, rows: Rows) -> None:
    if rows.late:
        rows.late.remove(chance.choice(rows.late))
    for row in chance.sample(rows.late, min(2, len(rows.late))):
        rows.late.append({**row, "arrival_date": row["arrival_date"] + DAY})
    if rows.late:
        chance.choice(rows.late)["late_by"] = 1


def events(chance: Random, rows: Rows) -> None:
    rows.silver.remove(chance.choice(rows.silver))
    chance.choice(rows.silver)["whole"] = chance.randrange(50)
    chance.choice(rows.silver)["key"] = "other"


FAULTS: list[Callable[[Random, Rows], None]] = [
    miscounted, renumbered, of_other_panes, of_other_values, gone, gone_days, of_later_days, late_rows, events
]  # fmt: skip


def spoil(made: SmallLake, chance: Random, faults: list[Callable[[Random, Rows], None]] = FAULTS) -> None:
    """Some faults, each once or twice; what was published is what was made."""
    tables = (made.tables.audit, made.tables.late_audit, silver_table(STREAM))
    rows = Rows(*(sorted(made.rows(table), key=repr) for table in tables))
    for fault in chance.choices(faults, k=4):
        if rows.audit:
            fault(chance, rows)
    for table, of_table in zip(tables, rows, strict=True):
        made.rewrite(table, of_table)
    if Lake(made.config).version(made.tables.results.name) is not None:
        made.rewrite(made.tables.results, rows.audit)


def assert_each_day_has_its_own_verdicts(made: SmallLake, chance: Random) -> None:
    alone = {day: made.laws_by_day(day)[day] for day in WEEK}
    for days in (WEEK, *(sorted(chance.sample(WEEK, chance.randrange(2, 5))) for _ in range(2))):
        assert made.laws_by_day(*days) == {day: alone[day] for day in days}


# What a query may ask for besides.
MORE = [
    {},
    {},
    {"key": ()},
    {"key": ("key", "whole")},
    {"where": (("whole", ">", 0),)},
    {"where": (("key", "is_null", None),)},
    {"where": (("whole", "not_in", (1, 2)), ("real", "<=", 1.5))},
    {"where": (("key", "in", ("a", None)),)},
]
PARTS = [KeyShare(part=part, parts=3) for part in range(3)]
BUCKETS = [KeyShare(buckets=(bucket,)) for bucket in range(STREAM.buckets)]
OF_BUCKETS = [each._replace(part=part, parts=2) for each in BUCKETS for part in range(2)]


def assert_no_cut_shows(made: SmallLake, chance: Random) -> None:
    """Neither shares of keys, whose findings are added up, nor parts of a key's events."""
    whole, of = made.laws_by_day(*WEEK), made.audited(*WEEK)
    shares = chance.choice((PARTS, BUCKETS, OF_BUCKETS)) if made.query.key else [ALL_KEYS]
    opened = (recount for each in shares for recount in recounts(Lake(made.config), of, each))
    assert whole == verdicts_on_rows(of, [find_in_rows(recount) for recount in opened])
    with pytest.MonkeyPatch.context() as small:
        small.setattr(final_values, "EVENTS_AT_ONCE", chance.choice((5, 20)))
        assert made.laws_by_day(*WEEK) == whole


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("kind", WINDOWS)
def test_windows_that_are_known_without_their_events(tmp_path, kind, emit):
    chance = Random(f"{kind} {emit}")
    waits = {"lateness": chance.choice((0, 1)) * HOUR, "allowed_lateness": chance.choice((0, 6, 30)) * HOUR}
    idle_after, last_day = chance.choice((None, 2 * HOUR)), chance.choice((None, WEEK[4]))
    stream = replace(STREAM, idle_after=idle_after, last_day=last_day)
    silent = chance.choice((None, WEEK[2]))
    every = [event for event in random_events(chance.randrange(99), 180, 5) if event["arrival"].date() != silent]
    query = asked(kind, emit, **waits, **chance.choice(MORE))
    made = make_lake(Config(tmp_path, tmp_path), query, every, stream, constrained=False)
    assert_each_day_has_its_own_verdicts(made, chance)
    assert_no_cut_shows(made, chance)
    assert all(each.passed for of_day in made.laws_by_day(*WEEK).values() for each in of_day)
    spoil(made, chance, FAULTS[:-1])
    assert_each_day_has_its_own_verdicts(made, chance)
    assert_no_cut_shows(made, chance)
    spoil(made, chance)  # an event of another key than its late row counts in the shares of both
    assert_each_day_has_its_own_verdicts(made, chance)
    assert not all(each.passed for of_day in made.laws_by_day(*WEEK).values() for each in of_day)


@pytest.mark.parametrize(("kind", "emit"), [*zip(DEPENDENT, cycle(EMITS), strict=False)])
def test_windows_that_depend_on_their_keys_other_events(tmp_path, monkeypatch, kind, emit):
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    chance, made = Random(kind), lake_of(Config(tmp_path, tmp_path), kind, emit)
    for _ in range(2):
        spoil(made, chance)
        assert_each_day_has_its_own_verdicts(made, chance)
    assert not all(each.passed for of_day in made.laws_by_day(*WEEK).values() for each in of_day)


def test_revisions_go_on_from_days_of_the_same_commit(tmp_path, monkeypatch):
    """Of these nothing is published yet, or what an earlier run made of them."""
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    made = lake_of(Config(tmp_path, tmp_path), "session")
    assert any(row["revision"] for row in made.rows(made.tables.audit))
    for published in ([], [{**row, "revision": 7} for row in made.rows(made.tables.results)]):
        made.rewrite(made.tables.results, published)
        assert all(each.passed for of_day in made.laws_by_day(*WEEK[:3]).values() for each in of_day)
        assert not all(each.passed for each in made.laws_by_day(WEEK[2])[WEEK[2]])


@pytest.mark.parametrize("idle_after", [None, timedelta(minutes=50)])
def test_days_of_silver(tmp_path, idle_after):
    stream = replace(STREAM, idle_after=idle_after)
    made = make_lake(Config(tmp_path, tmp_path), asked(), random_events(3, 180, 5), stream)
    lake, noted, passes = Lake(made.config), made.rows(partitions_table(stream)), made.rows(pass_table(stream))
    for spoilt in (False, True):
        if spoilt:
            made.change(partitions_table(stream), noted[0], newest_start=noted[0]["newest_start"] + HOUR)
            made.rewrite(pass_table(stream), passes[::3])
            made.delete(silver_table(stream), made.rows(silver_table(stream))[0])
        alone = {day: laws_of_silver(lake, made.tables.source, made.snapshot, [day])[day] for day in WEEK}
        assert all(each.passed for of_day in alone.values() for each in of_day) != spoilt
        for days in (WEEK, WEEK[1::2]):
            assert laws_of_silver(lake, made.tables.source, made.snapshot, days) == {day: alone[day] for day in days}


def test_the_ledger_gets_the_verdicts_of_all_days_in_one_commit(tmp_path):
    made = make_lake(Config(tmp_path, tmp_path), asked(), random_events(3, 60))
    lake, days = Lake(made.config), (WEEK[0], WEEK[2])
    found = gate_of(lake).record_audit(Run("run", STREAM.name, made.query.name, None), made.audited(*days))
    laws, kept = made.laws_by_day(*days), lake.read(VERDICTS.name).to_pylist()
    assert list(found) == [*days] and all(found[day][-len(laws[day]) :] == laws[day] for day in days)
    assert Counter(row["logical_date"] for row in kept) == {day: len(found[day]) for day in days}
    assert len({row["at"] for row in kept}) == 1 and lake.version(VERDICTS.name) == 1
