"""Promises that every second real day suggests are kept on the others: of what runs find at most one in a hundred is a
false alarm. The limits are those that a user would write: what the days show, and as much again."""

import shutil
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tests.support.lakes import ingest, tables_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate import promises
from windrow.pipelines.gate.recount.query_days import AuditedDays
from windrow.pipelines.ledger.promises import KEPT, Judgement
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import AuditVersions, Snapshot
from windrow.schemas import registry
from windrow.schemas.promise import COMPLETE, FINAL_MOVES, FRESH, ROWS, Promise, promise

REAL = Path(__file__).resolve().parents[3] / "shared" / "data"
# By query, an aggregate that moves, and the files of its stream that are taken: whole months, weeks or days.
QUERIES = {
    "bikes_in_use": ("trips", ["bikes/citibike-jc"]),
    "cdr_active": ("sessions", ["cdr/isp-xdr"]),
    "telemetry_load": ("readings", ["telemetry/nab", "telemetry/delays"]),
}
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not in ../shared/data"),
    pytest.mark.timeout(0),
]


def judged(lake: Lake, of: AuditedDays, *asked: Promise) -> list[Judgement]:
    tables = of.tables._replace(query=replace(of.tables.query, promises=asked))
    return [each for of_day in promises.judge(lake, replace(of, tables=tables)).values() for each in of_day]


def suggested(found: Iterable[Judgement], wide: Promise, arrived: Collection[date]) -> Promise:
    """A limit twice as far as days with files were."""
    measured = [each.measured for each in found if each.promise == wide and each.day in arrived]
    least, most = min(measured), max(measured)
    limits = {
        COMPLETE: {"least": max(0, 1 - 2 * (1 - least))},
        FINAL_MOVES: {"most": min(1, 2 * most)},
        FRESH: {"most": 2 * most},
        ROWS: {"least": least // 2, "most": 2 * most},
    }
    return replace(wide, **limits[wide.kind])


def false_alarms(found: Iterable[Judgement], arrived: Collection[date]) -> list[str]:
    """Of a day of which the collection has no files, as of 2015-08-26 of the phone records, an alarm is right."""
    return [str(each) for each in found if each.verdict != KEPT and each.day in arrived]


@pytest.mark.parametrize("name", QUERIES)
def test_a_promise_that_every_second_day_suggests_is_kept_on_the_others(tmp_path, name):
    aggregate, folders = QUERIES[name]
    lake, days = ingested(tmp_path, name, folders)
    backfill(lake.config, [name], (days[0], days[-1])).require()
    tables = QueryTables.of(registry.query(name))
    versions = [lake.version(each.name) for each in (tables.audit, tables.late_audit)]
    versions += [lake.version(each.name) for each in (tables.source.silver, tables.source.passes)]
    audited = AuditedDays(tables, days, AuditVersions(*versions, Snapshot.taken(lake, tables.source).name))
    wide = (
        promise(complete=0, within="1 h"),
        promise(final_moves_at_most=1, of=aggregate),
        promise(fresh_within="30 d"),
        promise(rows_between=(0, 10**9)),
    )
    shown = judged(lake, replace(audited, days=days[::2]), *wide)
    asked = [suggested(shown, each, days) for each in wide]
    assert asked[0].least > 0.5, "a promise that anything keeps says nothing"
    found = judged(lake, replace(audited, days=days[1::2]), *asked)
    alarms = false_alarms(found, days)
    assert len(found) >= 4 * len(days[1::2]) and len(alarms) <= 0.01 * len(found), alarms


def ingested(folder: Path, name: str, files: Iterable[str]) -> tuple[Lake, tuple[date, ...]]:
    """The arrival days of some files of the query's stream, but for the first and the last, which have a part only."""
    for each in files:
        shutil.copytree(REAL / each, folder / "landing" / each)
    config, stream = Config(folder / "home", folder / "landing"), registry.query(name).stream
    ingest(config, stream)
    found = sorted(ArrivalDays.read(Lake(config), tables_of(stream).partitions.name).by_date)
    return Lake(config), tuple(found[1:-1])
