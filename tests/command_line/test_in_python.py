"""A program does what the commands of a day's work do, over the lake that the environment names."""

import pytest

import windrow as imported
from tests.support.lakes import DAYS
from windrow.schemas.errors import NothingArrived, UnknownName


@pytest.fixture
def lake(ingested, monkeypatch):
    for name, place in (("WINDROW_HOME", ingested.home), ("WINDROW_LANDING", ingested.landing)):
        monkeypatch.setenv(name, str(place))
    return imported


def test_a_days_work(lake):
    taken = lake.ingest("bikes")
    assert (taken.stream, taken.files) == ("bikes", ()), "nothing is new"
    days = lake.backfill("bikes_daily", first=DAYS[0], last=DAYS[-1])
    assert [report.day for report in days] == DAYS
    [count] = lake.sql("SELECT count(*) AS rows FROM bikes_daily").to_arrow().to_pylist()
    assert count["rows"] == sum(report.rows["bikes_daily"] for report in days) > 0
    assert lake.backfill("bikes_daily", first=DAYS[0], last=DAYS[-1]) == [], "all is published as it would be now"
    curve = lake.whatif("bikes_daily").to_arrow()
    assert curve.num_rows > 3 and "lateness_seconds" in curve.column_names
    page = lake.report()
    assert page.name == "index.html" and "bikes_daily" in page.read_text()


def test_errors_are_those_of_the_tree(lake):
    with pytest.raises(UnknownName, match="Did you mean 'bikes'"):
        lake.ingest("bike")
    with pytest.raises(UnknownName, match="no query is named 'bikes_dialy'"):
        lake.backfill("bikes_dialy", first=DAYS[0], last=DAYS[0])
    long_ago = DAYS[0].replace(year=2001)
    with pytest.raises(NothingArrived):
        lake.backfill("bikes_daily", first=long_ago, last=long_ago)
