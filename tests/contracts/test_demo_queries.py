"""The SQL that the demo prints and runs works on published lakes, and answers with the columns that it is about."""

from datetime import date, timedelta

import pytest

from stack import demo
from stack.demo import CHANGE_OF_CLOCKS, OF_EVERY_DEMO, DemoQuestion, verdicts
from tests.support.lakes import DAYS, PATIENT, QUERIES, ingest
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.sql import statements
from windrow.samples import bikes, cdr, telemetry

pytestmark = [PATIENT, pytest.mark.few_tests(1)]
# By the question's first words: the answer's columns, and the most rows that it may have (None: as many as there are).
ANSWERS = {
    "bikes: why were records refused?": ("reason records", None),
    "bikes: what was known when, of the window that was corrected most often?":
        ("window_start revision pane emitted_at trips late_events", 6),
    "bikes: which trips came too late for a window, and by how many minutes?":
        ("start_station_id start arrival windows_missed late_by_minutes", 3),
    "cdr: which antennas were busiest, in which quarter of an hour?":
        ("location_area cell window_start window_end sessions longest_s", 5),
    "telemetry: where did late readings change most of what was known on time?":
        ("source metric window_start known_on_time in_the_end", 5),
}  # fmt: skip
# Made-up trips can all be readable; late ones there are.
MAY_BE_EMPTY = {"bikes: why were records refused?"}
BY_STREAM = {name: [each for each in OF_EVERY_DEMO if each.asks.startswith(f"{name}: ")] for name in demo.STREAMS}
DAY, ONE_DAY = date(2018, 11, 4), timedelta(days=1)
OTHERS = {"cdr": (cdr, "sessions_per_day", "cdr_active"), "telemetry": (telemetry, "events_per_day", "telemetry_load")}


def answered(config: Config, question: DemoQuestion):
    """The answer, after a look at its shape."""
    columns, most = ANSWERS[question.asks]
    answer = statements.run(Lake(config), question.sql)
    assert answer.column_names == columns.split()
    assert answer.num_rows > 0 or question.asks in MAY_BE_EMPTY
    assert most is None or answer.num_rows <= most
    return answer


def test_every_question_of_the_demo_is_asked_here_and_each_stream_has_one():
    assert [each.asks for each in OF_EVERY_DEMO] == list(ANSWERS)
    assert all(BY_STREAM.values())


@pytest.mark.parametrize("question", BY_STREAM["bikes"], ids=lambda question: question.asks)
def test_a_question_about_trips_is_answered(first_published, question):
    answered(first_published, question)


@pytest.mark.nightly
@pytest.mark.parametrize("stream", OTHERS)
def test_a_question_about_another_stream_is_answered_over_generated_files(tmp_path, stream):
    generator, amount, query = OTHERS[stream]
    config = Config(tmp_path / "home", tmp_path / "landing", asked_engine="local")
    generator.write(config.landing, 1, DAY, **{amount: 60})
    for path in sorted(config.landing.rglob("*_metric.csv.gz"))[2:]:
        path.unlink()
    ingest(config, stream)
    backfill(config, [query], (DAY, DAY)).require()
    [question] = BY_STREAM[stream]
    answered(config, question)


@pytest.mark.takes(40)
def test_the_most_corrected_window_is_shown_from_its_first_answer_on(first_published):
    [question] = [each for each in OF_EVERY_DEMO if "corrected most often" in each.asks]
    rows = answered(first_published, question)
    assert rows["revision"].to_pylist() == list(range(rows.num_rows))
    assert rows.num_rows > 1 and len(set(rows["window_start"].to_pylist())) == 1


@pytest.mark.slow
def test_the_day_when_clocks_went_back_has_25_hours_among_days_of_24(tmp_path):
    config = Config(tmp_path / "home", tmp_path / "landing", asked_engine="local")
    bikes.write(config.landing, 4, DAY + 2 * ONE_DAY, trips_per_day=200)
    ingest(config, "bikes")
    backfill(config, ["bikes_daily"], (DAY - ONE_DAY, DAY + 2 * ONE_DAY)).require()
    answer = statements.run(Lake(config), CHANGE_OF_CLOCKS.sql)
    hours = {row["window_start"].date(): row["hours"] for row in answer.to_pylist()}
    assert hours[date(2018, 11, 4)] == 25
    assert set(hours.values()) == {24, 25}


def test_the_verdicts_are_counted_with_why_each_day_is_there_and_all_passed(first_published):
    asked = DAYS[-1]
    rows = statements.run(Lake(first_published), verdicts([asked]).sql).to_pylist()
    why = {(row["table_name"], row["why"]): row for row in rows}
    assert all(row["checks"] == row["passed"] > 0 for row in rows)
    for query in QUERIES:
        assert why[f"{query}_audit", "a day of this demo"]["first_day"] == asked
    earlier = why["silver_bikes", "earlier events, read for windows that reach into a day"]
    assert earlier["last_day"] < asked
    assert ("silver_bikes", "files that an ingest took") in why
