"""A failing check stops the publication: all tables stay as they were, the ledger says what failed."""

from dataclasses import asdict
from datetime import date

import pytest

from pipelines.cli import _app as command_line
from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.ledger import run_table as ledger
from pipelines.ledger.entry import Run
from pipelines.ledger.run_table import StepRow
from pipelines.runs.replay import replay_day
from pipelines.runs.reports import DayReport
from schemas import registry
from schemas.errors import GateFailed, Superseded
from schemas.ledger_tables import VERDICTS
from tests.support.lakes import gate_of
from tests.support.small_lake import DAYS, SmallLake, make_lake, random_events

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(3)]

DAY = DAYS[1]


@pytest.fixture
def made(tmp_path) -> SmallLake:
    """Trips, and the audit rows of the query that a run of Spark would have made of them."""
    trip = {"trip_duration_s": 60, "user_type": "customer"}
    trips = [{**event, **trip, "start_station_id": event["seq"][1] % 4} for event in random_events(seed=5)]
    config = Config(tmp_path, tmp_path)
    return make_lake(config, registry.query("bikes_daily"), trips, registry.stream("bikes"))


def audited(made: SmallLake, run_id: str, day: date = DAY) -> None:
    """What the audit step of a run leaves in the ledger: the versions that it made."""
    with ledger.step(Lake(made.config), Run(run_id, made.stream.name, made.query.name, day), "audit") as entry:
        entry.outputs, entry.inputs = asdict(made.versions), made.arrival_days.inputs(day, day)


def publish(made: SmallLake, run_id: str) -> DayReport:
    audited(made, run_id)
    return replay_day(made.config, made.query.name, DAY, "publish", run_id)


def tampered(made: SmallLake) -> SmallLake:
    row = next(row for row in made.rows(made.tables.audit) if row["emitted_date"] == DAY)
    made.change(made.tables.audit, row, events=row["events"] + 1)
    return made


def test_rows_that_pass_are_published_and_the_verdicts_kept(made):
    report = publish(made, "good")
    published = made.rows(made.tables.results)
    assert published == [row for row in made.rows(made.tables.audit) if row["emitted_date"] == DAY] != []
    assert report.rows[made.query.name] == len(published)
    kept = Lake(made.config).read(VERDICTS.name).to_pylist()
    assert all(row["passed"] for row in kept)
    assert {row["table_version"] for row in kept} == {made.versions.audit, made.versions.late_audit}


def test_rows_that_fail_leave_the_published_tables_as_they_were(made):
    publish(made, "good")
    before = [
        (Lake(made.config).version(table.name), made.rows(table)) for table in (made.tables.results, made.tables.late)
    ]
    audit = tampered(made).rows(made.tables.audit)
    with pytest.raises(GateFailed, match="law 3"):
        publish(made, "bad")
    assert before == [
        (Lake(made.config).version(table.name), made.rows(table)) for table in (made.tables.results, made.tables.late)
    ]
    assert made.rows(made.tables.audit) == audit


def test_nothing_is_made_by_a_first_run_that_fails(made):
    with pytest.raises(GateFailed):
        publish(tampered(made), "bad")
    assert Lake(made.config).version(made.tables.results.name) is None


def test_the_ledger_says_that_the_step_was_refused_and_why(made):
    with pytest.raises(GateFailed) as raised:
        publish(tampered(made), "bad")
    (step,) = [row for row in ledger.rows(Lake(made.config)) if (row.step, row.state) == ("publish", "refused")]
    assert raised.value.check in step.message
    failed = [row for row in Lake(made.config).read(VERDICTS.name).to_pylist() if not row["passed"]]
    assert raised.value.query in {row["offending"] for row in failed}


def test_a_run_that_was_fixed_is_published(made):
    good = made.rows(made.tables.audit)
    with pytest.raises(GateFailed):
        publish(tampered(made), "bad")
    made.rewrite(made.tables.audit, good)
    publish(made, "fixed")
    assert made.rows(made.tables.results) == [row for row in good if row["emitted_date"] == DAY]


def publish_audited(made: SmallLake, run_id: str) -> DayReport:
    """The publish step of a run whose audit step came before."""
    return replay_day(made.config, made.query.name, DAY, "publish", run_id)


def publish_steps(made: SmallLake, run_id: str) -> list[StepRow]:
    """What the ledger has of a run's publish step, from its start to its end."""
    return ledger.rows(Lake(made.config), [("run_id", "=", run_id), ("step", "=", "publish")])


def test_a_newer_audit_that_failed_supersedes_nothing(made):
    good = made.rows(made.tables.audit)
    audited(made, "older")
    with pytest.raises(GateFailed):
        publish(tampered(made), "newer")
    report = publish_audited(made, "older")
    assert made.rows(made.tables.results) == [row for row in good if row["emitted_date"] == DAY] != []
    assert report.rows[made.query.name] == len(made.rows(made.tables.results))
    assert publish_steps(made, "older")[-1].state == "done"


def test_a_newer_audit_that_passed_supersedes_an_older_one_and_the_older_run_is_skipped(made):
    audited(made, "older")
    made.rewrite(made.tables.audit, made.rows(made.tables.audit))
    publish(made, "newer")
    before = Lake(made.config).version(made.tables.results.name)
    with pytest.raises(Superseded, match="its run 'newer' publishes") as raised:
        publish_audited(made, "older")
    assert Lake(made.config).version(made.tables.results.name) == before
    ended = publish_steps(made, "older")[-1]
    assert (ended.state, ended.outputs) == ("skipped", {})
    assert str(raised.value) in ended.message


def test_the_command_of_a_skipped_run_ends_with_a_code_of_its_own_and_why(made, monkeypatch, capsys):
    audited(made, "older")
    made.rewrite(made.tables.audit, made.rows(made.tables.audit))
    publish(made, "newer")
    monkeypatch.setenv("WINDROW_HOME", str(made.config.home))
    words = ["replay", made.query.name, "--day", str(DAY), "--stage", "publish", "--run-id", "older"]
    assert command_line.run(words) == Superseded.exit_code == 14
    shown = capsys.readouterr()
    assert shown.out == "" and "\nskipped: version" in shown.err and "its run 'newer' publishes the day" in shown.err


def test_a_skipped_run_names_a_command_that_publishes_the_day(made):
    """A run that passed and was then ended published nothing; it may have been killed before its rows were recorded."""
    audited(made, "older")
    made.rewrite(made.tables.audit, made.rows(made.tables.audit))
    audited(made, "newer")
    run = Run("newer", made.stream.name, made.query.name, DAY)
    gate_of(Lake(made.config)).record_audit(run, made.audited(DAY))
    with pytest.raises(Superseded, match=f"windrow replay {made.query.name} --day {DAY}$"):
        publish_audited(made, "older")
