"""What the overview lists as to do: files that were not taken, streams that fell silent, days that are not published;
each with the command to type next."""

from datetime import UTC, date, datetime, timedelta

import pytest
from deltalake import write_deltalake

from tests.support.lakes import DAYS, ingest
from tests.support.replay import landing
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.report.to_do import silent_after, to_do
from windrow.pipelines.runs.backfill import backfill
from windrow.schemas import registry

pytestmark = pytest.mark.slow


def listed(config: Config) -> dict[str, str]:
    """Sentences by their commands."""
    return {remark.command: remark.text for remark in to_do(Lake(config), lambda: stale(Lake(config)))}


def test_a_file_that_was_not_taken_is_listed_with_its_reason(ingested):
    landing.write(ingested.landing, {"bikes/generated-nyc/trips-2018-06-09.csv": "no such header\n"})
    ingest(ingested, "bikes")
    found = listed(ingested)["windrow ingest bikes"]
    assert found.startswith("bikes/generated-nyc/trips-2018-06-09.csv (refused): none of its 1 record(s) is an event")


def test_days_with_events_behind_the_first_published_one_are_promised(ingested):
    backfill(ingested, ["bikes_daily", "bikes_last_hour"], (DAYS[0], DAYS[1])).require()
    backfill(ingested, ["bikes_demand"], (DAYS[0], DAYS[-1])).require()
    found = listed(ingested)
    assert [command for command in found if "backfill" in command] == [
        f"windrow backfill bikes_daily bikes_last_hour --from {DAYS[2]} --to {DAYS[-1]}"
    ]


def test_a_stream_is_silent_after_twice_its_longest_pause(ingested):
    today = datetime.now(UTC).date()
    table = Lake(ingested).read("files_bikes")
    for newest, is_silent in ((today - timedelta(days=4), False), (today - timedelta(days=5), True)):
        # A pause of two days, and of one.
        landed = [newest, newest - timedelta(days=2), newest - timedelta(days=3), newest - timedelta(days=4)]
        dates = [landed[number % 4] for number in range(len(table))]
        place = table.schema.get_field_index("landed_date")
        changed = table.set_column(place, table.schema.field(place), [dates])
        write_deltalake(str(Lake(ingested).folder("files_bikes")), changed, mode="overwrite")
        assert any("fell silent" in text for text in listed(ingested).values()) == is_silent


def test_of_few_landing_days_no_pause_is_the_usual_one():
    days = [date(2018, 6, 1), date(2018, 6, 2), date(2018, 6, 3)]
    assert silent_after(registry.stream("bikes"), days) is None
