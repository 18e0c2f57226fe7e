"""Bad data is loud: files of which nothing is accepted are refused, and limits of a stream warn or fail."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from tests.support import meters
from tests.support.lakes import ingest
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import outcome
from windrow.pipelines.ingest.files import ACCEPTED, FileRow
from windrow.pipelines.ingest.outcome import IngestReport
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.run_table import StepRow
from windrow.pipelines.report.overview import PAGE, overview_pages
from windrow.pipelines.runs.reports import DayReport
from windrow.schemas.errors import GateFailed, WrongParameter
from windrow.schemas.stream import FAIL, Column, Layout, Limit
from windrow.schemas.validation import validate_stream

GOOD, BAD = "meters/good.csv", "meters/bad.csv"
DAY = timedelta(days=1)
NOTHING_NEW = IngestReport("meters", (), (), {}, (), None, None, 0.0, 0)
OTHER_COLUMNS: Layout = replace(meters.IN_ORDER, name="other columns", header=("Meter", "read_at", "kwh"))


def states(config: Config) -> dict[str, tuple]:
    columns = ("path", "state", "accepted", "quarantined", "detail")
    rows = Lake(config).read("files_meters", columns=list(columns)).to_pylist()
    return {path: tuple(others) for path, *others in (row.values() for row in rows)}


def newest_step(config: Config) -> StepRow:
    return run_table.rows(Lake(config))[-1]


@pytest.fixture
def half_bad(config, monkeypatch) -> Config:
    """A landing folder with a file that the stream reads, and one of other columns: with its header three records."""
    meters.make_known(monkeypatch, meters.STREAM)
    meters.land(config, GOOD, meters.readings(GOOD, meters.MIDNIGHT, 97))
    meters.land(config, BAD, meters.readings(BAD, meters.MIDNIGHT, 2), "Meter,read_at,kwh")
    return config


@pytest.mark.slow
def test_a_file_without_an_accepted_record_is_refused_and_named_everywhere_until_a_layout_reads_it(
    half_bad, monkeypatch
):
    report = ingest(half_bad, "meters")
    why = "none of its 3 record(s) is an event; unknown layout: "
    assert states(half_bad)[GOOD] == (ACCEPTED, 97, 0, None)
    state, accepted, quarantined, detail = states(half_bad)[BAD]
    assert (state, accepted, quarantined) == ("refused", 0, 3) and detail.startswith(why)
    assert f"{BAD}: refused, {detail}" in report.messages
    [warning] = report.warnings
    assert warning.startswith(f"1 file(s) hold no event, until they are replaced or forgotten: {BAD}: {why}")
    assert (newest_step(half_bad).state, newest_step(half_bad).message) == ("done", warning)
    assert newest_step(half_bad).counts["refused files"] == 1
    [first] = [page for page in overview_pages(Lake(half_bad), list) if page.file == PAGE]
    asked = f"{BAD} (refused): {detail}\nReplace the file, then run:"
    assert asked in [remark.text for remark in first.sections[0].items]
    assert ingest(half_bad, "meters").warnings == (warning,), "as long as the file is there"

    both = replace(meters.STREAM, layouts=(meters.IN_ORDER, OTHER_COLUMNS))
    meters.make_known(monkeypatch, both, hashed="with another layout")
    assert ingest(half_bad, "meters").warnings == ()
    assert states(half_bad) == {GOOD: (ACCEPTED, 97, 0, None), BAD: (ACCEPTED, 2, 0, None)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ({"refused_files": Limit(0, FAIL)}, rf"'refused_files' failed: 1 file\(s\) hold no event.*{BAD}.*limit: 0"),
        ({"refused_share": Limit(0.029, FAIL)}, r"'refused_share' failed: 3 of the 100 records .*limit: 2.90%"),
        ({"refused_share": Limit(0.03, FAIL), "refused_files": Limit(1, FAIL)}, None),
        ({"refused_share": None, "refused_files": None}, None),
    ],
)  # fmt: skip
def test_an_ingest_beyond_a_limit_that_fails_is_refused_and_its_tables_are_whole(half_bad, monkeypatch, limit, text):
    meters.make_known(monkeypatch, replace(meters.STREAM, **limit))
    if text is None:
        assert ingest(half_bad, "meters").warnings == ()
        return
    with pytest.raises(GateFailed, match=text):
        ingest(half_bad, "meters")
    assert newest_step(half_bad).state == "refused"
    assert Lake(half_bad).row_count("silver_meters") == 97


@pytest.mark.slow
def test_a_column_may_have_a_name_that_an_ingest_has_for_its_own_work(half_bad, monkeypatch):
    meter, kwh = meters.STREAM.columns
    meters.make_known(monkeypatch, replace(meters.STREAM, columns=(meter, replace(kwh, name="place"))))
    ingest(half_bad, "meters")
    assert states(half_bad)[BAD][:3] == ("refused", 0, 3)


@pytest.mark.parametrize("name", ["kwh", "arrival", "reason", "detail", "text", "records"])
def test_no_column_has_the_name_of_another_of_silver_or_quarantine(name):
    columns = (*meters.STREAM.columns, Column(name, "string", "what else a line says"))
    with pytest.raises(WrongParameter, match=f"columns is '{name}'; allowed: each name once"):
        validate_stream(replace(meters.STREAM, columns=columns))


def row(path: str, landed: date, **of_row) -> FileRow:
    return FileRow(path, path, 1, landed, ACCEPTED, **of_row)


@pytest.mark.parametrize(("days", "is_broken"), [(2, False), (3, True)])
def test_a_stream_that_gets_no_new_file_for_too_long_says_so(days, is_broken):
    stream = replace(meters.STREAM, no_new_file_for=Limit(2 * DAY))
    newest = date(2024, 5, 1)
    known = [row("a", newest - 9 * DAY), row("b", newest)]
    found = outcome.broken(stream, known, NOTHING_NEW, newest + days * DAY)
    said = ["no new file since 2024-05-01, for 3 days (at most 2 days: no_new_file_for of the stream)"]
    assert list(map(str, found)) == (said if is_broken else [])
    assert outcome.broken(stream, [], NOTHING_NEW, newest) == [], "nothing was to be expected yet"


@pytest.mark.parametrize("wrong", [
    {"refused_share": Limit(2)}, {"refused_files": Limit(-1)}, {"refused_files": Limit(0, "stop")},
    {"refused_files": 0}, {"no_new_file_for": Limit(timedelta(hours=30))},
    {"no_new_file_for": Limit(DAY), "last_day": date(2030, 1, 1)},
])  # fmt: skip
def test_a_limit_that_means_nothing_is_refused_by_its_name(wrong):
    with pytest.raises(WrongParameter, match=f"{next(iter(wrong))} is .*; allowed: (Limit|None)"):
        validate_stream(replace(meters.STREAM, **wrong))


def test_a_run_without_rows_is_no_news_unless_it_took_rows_away():
    empty = DayReport("a run", "q", date(2024, 5, 1), {"q": 0, "q_late": 0}, versions={"q": 1, "q_late": 1})
    assert empty.asset_events == {}
    assert {*replace(empty, had_rows=True).asset_events} == {"q", "q_late"}
    assert {*replace(empty, rows={"q": 0, "q_late": 1}).asset_events} == {"q", "q_late"}
