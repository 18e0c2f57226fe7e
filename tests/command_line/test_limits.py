"""A replay or a backfill refuses what costs more than it may, by options or settings, on both engines."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from tests.support.command_line import Ended
from tests.support.engines import ENGINES
from tests.support.lakes import DAYS, PATIENT
from tests.support.replay.work import work_of
from windrow.pipelines import config as settings
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.file_rows import read_rows
from windrow.pipelines.replay import task
from windrow.pipelines.replay.replay_plan import plan
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas import registry
from windrow.schemas.errors import TooManyRows, TooManySeconds, WrongParameter
from windrow.schemas.query import sliding
from windrow.schemas.replay_limits import MOST_ROWS, MOST_SECONDS

pytestmark = [PATIENT, pytest.mark.few_tests(1)]
QUERY, DAY = "bikes_demand", DAYS[0]  # before it is nothing: a task makes the day's rows only
WAYS = "the option of replay_table, --most-{0} of windrow replay and backfill, or the setting WINDROW_MOST_{1}"


@pytest.fixture
def replay(ingested, monkeypatch, run):
    """Make a day's audit rows as `windrow replay` does, with these options."""
    monkeypatch.setenv("WINDROW_HOME", str(ingested.home))
    return partial(run, ingested, "replay", QUERY, "--day", str(DAY), "--stage", "audit")


@pytest.fixture
def by_microsecond(monkeypatch):
    """The query's windows of a day slide by a microsecond."""
    window = sliding(timedelta(days=1), timedelta(microseconds=1))
    monkeypatch.setitem(registry.queries(), QUERY, replace(registry.query(QUERY), window=window))


def most_rows_of_a_task() -> int:
    lake, tables = Lake(settings.load()), QueryTables.of(registry.query(QUERY))
    work = work_of(lake, tables, DAY)
    buckets = plan(lake, 1, work).buckets
    [day], events = work.backs, (read_rows(task.rows_of(work, files)).sort_by("arrival") for files in buckets)
    return max(task.make_pass(lake, work, day, of_bucket).rows.num_rows for of_bucket in events)


def assert_refused(ended: Ended, kind: type, text: str) -> None:
    assert ended.code == kind.exit_code == 2
    error = ended.error.splitlines()[-1]
    assert error.startswith("error: ") and text in error
    assert "Traceback" not in ended.error and ended.out == ""


@pytest.mark.slow
@ENGINES
def test_as_many_rows_as_allowed_are_made_and_one_more_is_refused_with_what_to_change(replay, engine, monkeypatch):
    most = most_rows_of_a_task()
    assert most > 10
    assert replay("--most-rows", str(most), "--most-seconds", str(MOST_SECONDS)).code == 0
    refused = replay("--most-rows", str(most - 1))
    assert_refused(refused, TooManyRows, f"most_rows is {most - 1:,}. ")
    assert WAYS.format("rows", "ROWS") in refused.error
    monkeypatch.setenv("WINDROW_MOST_ROWS", str(most - 1))
    assert_refused(replay(), TooManyRows, f"most_rows is {most - 1:,}. ")
    assert replay("--most-rows", str(most)).code == 0, "an option comes before its setting"
    monkeypatch.setenv("WINDROW_MOST_ROWS", str(most))
    assert replay().code == 0


@pytest.mark.slow
@ENGINES
def test_a_replay_ends_when_its_time_is_up_and_not_before(replay, engine, by_microsecond, monkeypatch):
    endless = ("--most-rows", str(MOST_ROWS))
    refused = replay(*endless, "--most-seconds", "0.5")
    assert_refused(refused, TooManySeconds, "which is 0.5. ")
    assert WAYS.format("seconds", "SECONDS") in refused.error
    monkeypatch.setenv("WINDROW_MOST_SECONDS", "0.25")
    assert_refused(replay(*endless), TooManySeconds, "which is 0.25. ")


@pytest.mark.slow
def test_windows_that_slide_by_a_microsecond_are_refused_with_figure_limit_and_parameter(replay, by_microsecond):
    refused = replay()
    assert_refused(refused, TooManyRows, "rows or more, of ")
    assert "most_rows is " in refused.error


@pytest.mark.slow
@pytest.mark.nightly
def test_a_backfill_ends_at_the_first_day_that_costs_more_than_its_options_allow(replay, here):
    backfill = partial(here, "backfill", QUERY, "--from", str(DAY), "--to", str(DAYS[1]))
    most = most_rows_of_a_task()
    assert_refused(backfill("--most-rows", str(most - 1)), TooManyRows, f"most_rows is {most - 1:,}. ")
    assert Lake(settings.load()).version(QUERY) is None
    assert backfill("--most-rows", str(MOST_ROWS), "--most-seconds", str(MOST_SECONDS)).code == 0


@pytest.mark.slow
def test_a_wrong_setting_ends_a_replay_by_its_name(replay, monkeypatch):
    assert_refused(replay("--engine", "x"), WrongParameter, "--engine is 'x'; allowed: spark or local")
    monkeypatch.setenv("WINDROW_TASK_MIB", "x")
    assert_refused(replay(), WrongParameter, "WINDROW_TASK_MIB is 'x'; allowed: a whole number from 1 to ")


WRONG = {"rows": ["0", "-1", "2.5", "many", "", str((1 << 60) + 1)],
         "seconds": ["0", "-1", "inf", "nan", "soon", "1000000001"]}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("command", [("replay", "--day"), ("backfill", "--to", str(DAYS[1]), "--from")])
@pytest.mark.parametrize(("of", "text"), [(of, text) for of, texts in WRONG.items() for text in texts])
def test_a_wrong_limit_is_refused_by_the_name_of_what_holds_it(windrow, monkeypatch, command, of, text):
    words = (*command, str(DAY), QUERY)
    assert_refused(windrow(*words, f"--most-{of}", text), WrongParameter, f"--most-{of} is {text!r}")
    monkeypatch.setenv(setting := f"WINDROW_MOST_{of.upper()}", text)
    assert_refused(windrow(*words), WrongParameter, f"{setting} is {text!r}")
