"""What `why` says of windows of random streams is what the plain oracle has: of every revision the events that it
covers, no other and none less; and that each row adds up."""

from collections import defaultdict
from random import Random

import pytest

from tests.support.oracle import oracle
from tests.support.small_lake import DAYS, STREAM, asked, make_lake, random_events
from tests.support.small_windows import DEPENDENT, WINDOWS
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.why.asked import AskedWindow
from windrow.pipelines.why.explain import explain
from windrow.schemas.query import EMITS, agg

ASKED = 12


def question(kind: str, emit: str):
    window = {**WINDOWS, **DEPENDENT}[kind]
    changes = {"window": window, "where": "whole > -30 OR whole IS NULL"}
    if not window.counts_shares:
        changes["aggregates"] = {
            "n": agg("count", where="real > 0"),
            "total": agg("sum", "whole"),
            "sum": agg("sum", "real"),
            "mean": agg("mean", "real"),
            "last": agg("last", "whole"),
            "std": agg("std", "real"),
        }
    return asked("prorated" if window.counts_shares else "sliding", emit, **changes)


@pytest.mark.parametrize("kind", [*WINDOWS, *(pytest.param(each, marks=pytest.mark.slow) for each in DEPENDENT)])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_the_events_of_every_revision_are_the_oracles_and_add_up(tmp_path, kind, seed):
    random = Random(f"{kind} {seed}")
    query, events = question(kind, random.choice(EMITS)), random_events(seed, 200)
    made = make_lake(Config(tmp_path, tmp_path), query, events)
    lake = Lake(made.config)
    lake.ensure(made.tables.results)
    lake.append(made.tables.results, lake.read(made.tables.audit.name))
    of_window = defaultdict(dict)
    for row, held in oracle.contents(events, query, False):
        place = (row["window_start"], row["window_end"], row.get("window_number", 0))
        of_window[row["key"], place][row["revision"]] = (row, [event["seq"] for event in held])
    revised = sorted(of_window, key=lambda each: (-len(of_window[each]), random.random()))
    for key, place in revised[:ASKED]:
        found = explain(lake, AskedWindow(query, {"key": key}, *place[:2]))
        assert found.adds_up, [each.wrong for window in found.windows for each in window.revisions]
        window = next(each for each in found.windows if each.place == place)
        assert len(window.revisions) == len(of_window[key, place])
        so_far = set()
        for each in window.revisions:
            row, held = of_window[key, place][each.row["revision"]]
            assert [_seq(event.row) for event in each.held] == held
            assert each.row["events"] == row["events"]
            for change in each.changes:
                seq = _seq(change.event.row)
                assert (seq in so_far) == (change.sign == "−")
                so_far ^= {seq}
            assert so_far == {*held}


def _seq(row: dict) -> tuple:
    return row["path"], row["line"], row["reading"]


@pytest.mark.parametrize("wrong", ["events", "late_events", "n", "sum", "mean"])
def test_a_row_that_its_events_do_not_say_is_named(tmp_path, wrong):
    query, events = question("sliding", "watermark"), random_events(3)
    made = make_lake(Config(tmp_path, tmp_path), query, events)
    lake = Lake(made.config)
    rows = [row for row in made.rows(made.tables.audit) if row["key"] == "a" and row["sum"] is not None]
    row = max(rows, key=lambda each: each["events"])
    spoilt = {**row, wrong: row[wrong] + (row[wrong] * 2.0**-52 if isinstance(row[wrong], float) else 1)}
    spoilt["events"] = max(spoilt["events"], spoilt["late_events"])
    lake.ensure(made.tables.results)
    lake.append(made.tables.results, [each if each != row else spoilt for each in made.rows(made.tables.audit)])
    found = explain(lake, AskedWindow(query, {"key": "a"}, row["window_start"]))
    [text] = [text for window in found.windows for each in window.revisions for text in each.wrong]
    assert not found.adds_up and text.startswith(f"{wrong} ")


@pytest.mark.parametrize("kind", ["tumbling", "session"])
def test_events_that_missed_the_window_are_shown(tmp_path, kind):
    """Of a session those that lie in its times: which windows they missed isn't known."""
    query, events = question(kind, "watermark"), random_events(4, 300)
    made = make_lake(Config(tmp_path, tmp_path), query, events)
    lake = Lake(made.config)
    for audit, table in ((made.tables.audit, made.tables.results), (made.tables.late_audit, made.tables.late)):
        lake.ensure(table)
        lake.append(table, lake.read(audit.name))
    late, found = made.rows(made.tables.late), 0
    for key, *times in sorted({(row["key"] or "", *_times(row)) for row in made.rows(made.tables.results)})[::7]:
        [window] = explain(lake, AskedWindow(query, {"key": key or None}, *times)).windows
        missed = [row for row in late if row["key"] == (key or None) and _missed(row, *times)]
        assert sorted(map(_seq, window.missed)) == sorted(map(_seq, missed))
        found += len(missed)
    assert found


def _times(row: dict) -> tuple:
    return row["window_start"], row["window_end"]


def _missed(row: dict, start, end) -> bool:
    first = row["first_missed"]
    return start <= row["start"] < end if first is None else first <= start <= row["last_missed"]


def test_it_opens_only_files_of_the_key_and_the_days_that_count(tmp_path):
    """Of a bucket and of the days from the window's start less the clocks' lead to the last revision's."""
    query, events = question("tumbling", "watermark"), random_events(5, 600, days=len(DAYS))
    made = make_lake(Config(tmp_path, tmp_path), query, events)
    lake = Lake(made.config)
    lake.ensure(made.tables.results)
    lake.append(made.tables.results, lake.read(made.tables.audit.name))
    every = lake.files(f"silver_{STREAM.name}")
    first = min(made.rows(made.tables.results), key=lambda row: (row["key"] is None, row["window_start"]))
    found = explain(lake, AskedWindow(query, {"key": first["key"]}, first["window_start"]))
    last = max(each.day for window in found.windows for each in window.revisions)
    assert found.adds_up and 0 < len(found.opened) < len(every)
    assert len({path.partition("bucket=")[2][:1] for path in found.opened}) == 1
    assert all(path.partition("arrival_date=")[2][:10] <= last.isoformat() for path in found.opened)
