"""The SQL that the demo prints and runs works on a published lake, and answers with the columns that it is about."""

import pytest

from pipelines.lake.lake import Lake
from pipelines.lake.sql import statements
from stack import showing
from tests.support.lakes import DAYS, PATIENT, QUERIES

pytestmark = PATIENT
# By the question: the answer's columns, and the most rows that it may have (None: as many as there are).
ANSWERS = {
    "Why were records refused?": (["reason", "records"], None),
    "Which stations were busiest, on which day in New York?": (
        ["start_station_id", "window_start", "window_end", "trips", "longest_trip_duration_s"],
        5,
    ),
    "What was known when, of the window that was corrected most often?": (
        ["window_start", "revision", "pane", "emitted_at", "trips", "late_events"],
        6,
    ),
    "Which trips came too late for a window, and by how many minutes?": (
        ["start_station_id", "start", "arrival", "windows_missed", "late_by_minutes"],
        3,
    ),
}
# Made-up trips can all be readable; late ones there are.
MAY_BE_EMPTY = {"Why were records refused?"}


def test_every_question_of_the_demo_is_asked_here():
    assert showing.QUERIES.keys() == ANSWERS.keys()


@pytest.mark.parametrize("question", showing.QUERIES)
def test_a_question_of_the_demo_is_answered(first_published, question):
    columns, most = ANSWERS[question]
    answer = statements.run(Lake(first_published), showing.QUERIES[question])
    assert answer.column_names == columns
    assert answer.num_rows > 0 or question in MAY_BE_EMPTY
    assert most is None or answer.num_rows <= most


def test_the_most_corrected_window_is_shown_from_its_first_answer_on(first_published):
    question = "What was known when, of the window that was corrected most often?"
    rows = statements.run(Lake(first_published), showing.QUERIES[question])
    assert rows["revision"].to_pylist() == list(range(rows.num_rows))
    assert rows.num_rows > 1 and len(set(rows["window_start"].to_pylist())) == 1


def test_the_verdicts_are_counted_by_table_and_day_and_all_passed(first_published):
    answer = statements.run(Lake(first_published), showing.VERDICTS)
    assert answer.column_names == ["table_name", "logical_date", "checks", "passed"]
    rows = answer.to_pylist()
    checked = {(row["table_name"], row["logical_date"]) for row in rows}
    assert checked >= {(f"{query}_audit", day) for query in QUERIES for day in DAYS}
    assert all(row["checks"] == row["passed"] > 0 for row in rows)
