"""After a fix of a stream's definition the refused rows that are now fine are accepted, once, and `stale` names the
runs that change: on the ragged lines of the data sessions, which a first reader of the files would take for damaged.
"""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from tests.support.lakes import PATIENT, ingest, pending
from tests.support.replay.reading import rows
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import parse
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs.replay import replay_day
from windrow.schemas import registry

pytestmark = [pytest.mark.slow, PATIENT]
QUERY, FIRST = "cdr_active", date(2015, 8, 3)
DAYS = [FIRST + timedelta(days=n) for n in range(3)]
FILES = {day: f"cdr/generated-xdr/beijing/BY_USER_{day:%Y%m%d}.csv" for day in DAYS}
RAGGED_DAY = DAYS[1]


def line(day: date, minute: int, ragged: bool = False) -> str:
    """A session of a minute, at noon in China and some minutes later; its user agent may hold a comma."""
    times = ",".join(f"{day} 12:{each:02}:00.000000" for each in (minute, minute + 1))
    who = f"someone,41000,{10_000 + minute % 2},net,123456,10.0.0.1,10.0.0.2"
    return f"{who},{times},60,1,2,1,,,,80,200,,,{',' * ragged}"


def land(config: Config) -> None:
    for day, path in FILES.items():
        lines = [line(day, minute, ragged=day == RAGGED_DAY and minute % 3 == 0) for minute in range(12)]
        place = config.landing / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join([*lines, ""]))


@pytest.fixture
def strict(monkeypatch):
    """The stream as one would define it before having seen a ragged line."""
    ours = registry.stream("cdr")
    layouts = tuple(replace(layout, fields=21) for layout in ours.layouts)
    with monkeypatch.context() as before_the_fix:
        before_the_fix.setitem(registry.streams(), "cdr", replace(ours, layouts=layouts))
        before_the_fix.setattr(parse, "stream_hash", lambda name: "before the fix")
        yield before_the_fix


def replay_all(config: Config) -> None:
    for day in DAYS:
        replay_day(config, QUERY, day)


def published(config: Config) -> list[dict]:
    return rows(config, QUERY, ())


def refused(config: Config) -> list[tuple[str, str]]:
    found = Lake(config).read("quarantine_cdr", columns=["path", "reason"]).to_pylist()
    return [(row["path"], row["reason"]) for row in found]


@pytest.mark.nightly
def test_refused_lines_that_are_fine_now_are_accepted_once_and_stale_names_what_changes(config, tmp_path, strict):
    land(config)
    ingest(config, "cdr")
    assert refused(config) == [(FILES[RAGGED_DAY], "wrong column count")] * 4
    replay_all(config)
    assert stale(Lake(config)) == []
    strict.undo()
    assert pending(config, "cdr") == sorted(FILES.values())
    report = ingest(config, "cdr")
    assert (refused(config), report.accepted) == ([], 12 * len(DAYS))
    assert Lake(config).read("silver_cdr").num_rows == 12 * len(DAYS)
    assert ingest(config, "cdr").touched_days == ()
    _assert_exactly_the_runs_that_change_are_stale(config, tmp_path)


def _assert_exactly_the_runs_that_change_are_stale(config: Config, tmp_path) -> None:
    """Those of the ragged lines' day, and of the days whose look-back reaches it; the day before is not among them."""
    named, before = {each.day for each in stale(Lake(config))}, published(config)
    assert RAGGED_DAY in named and DAYS[0] not in named
    for day in sorted(named):
        replay_day(config, QUERY, day)
    assert stale(Lake(config)) == []
    fresh = Config(tmp_path / "fresh", config.landing)
    ingest(fresh, "cdr")
    replay_all(fresh)
    assert published(config) == published(fresh)
    changed = {row["emitted_date"] for row in published(fresh) if row not in before}
    assert set() < changed <= named
