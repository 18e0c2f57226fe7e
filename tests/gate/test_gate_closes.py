"""A failing check stops the publication: all tables stay as they were, the ledger says what failed."""

from dataclasses import asdict
from datetime import date

import pytest

from tests.support.lakes import DAYS as PUBLISHED
from tests.support.lakes import gate_of, silent, spoil_noted
from tests.support.small_lake import DAYS, SmallLake, make_lake, random_events
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.ledger.run_table import StepRow
from windrow.pipelines.runs.ingest_day import ingest_day
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.runs.reports import DayReport
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed, Superseded
from windrow.schemas.ledger_tables import VERDICTS

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(3)]

DAY, (FIRST, SECOND, *_) = DAYS[1], PUBLISHED


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
    return publish_audited(made, run_id)


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
    def published() -> list[tuple]:
        tables = (made.tables.results, made.tables.late)
        return [(Lake(made.config).version(table.name), made.rows(table)) for table in tables]

    publish(made, "good")
    before, audit = published(), tampered(made).rows(made.tables.audit)
    with pytest.raises(GateFailed, match="law 3"):
        publish(made, "bad")
    assert published() == before and made.rows(made.tables.audit) == audit


def test_a_first_run_that_fails_makes_nothing_the_ledger_says_why_and_once_it_is_fixed_it_is_published(made):
    good = made.rows(made.tables.audit)
    with pytest.raises(GateFailed) as raised:
        publish(tampered(made), "bad")
    assert Lake(made.config).version(made.tables.results.name) is None
    (step,) = [row for row in ledger.rows(Lake(made.config)) if (row.step, row.state) == ("publish", "refused")]
    assert raised.value.check in step.message
    failed = [row for row in Lake(made.config).read(VERDICTS.name).to_pylist() if not row["passed"]]
    assert raised.value.query in {row["offending"] for row in failed}
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


def test_a_newer_audit_that_passed_supersedes_an_older_one_and_the_older_run_is_skipped(made, run):
    audited(made, "older")
    made.rewrite(made.tables.audit, made.rows(made.tables.audit))
    publish(made, "newer")
    before = Lake(made.config).version(made.tables.results.name)
    with pytest.raises(Superseded, match="its run 'newer' publishes") as raised:
        publish_audited(made, "older")
    ended = publish_steps(made, "older")[-1]
    assert (ended.state, ended.outputs) == ("skipped", {}) and str(raised.value) in ended.message
    words = ("replay", made.query.name, "--day", str(DAY), "--stage", "publish", "--run-id", "older")
    shown = run(made.config, *words)
    assert (shown.code, shown.out) == (Superseded.exit_code, "") and Superseded.exit_code == 14
    assert "\nskipped: version" in shown.error and "its run 'newer' publishes the day" in shown.error
    assert Lake(made.config).version(made.tables.results.name) == before


def test_a_skipped_run_names_a_command_that_publishes_the_day(made):
    """A run that passed and was then ended published nothing; it may have been killed before its rows were recorded."""
    audited(made, "older")
    made.rewrite(made.tables.audit, made.rows(made.tables.audit))
    audited(made, "newer")
    run = Run("newer", made.stream.name, made.query.name, DAY)
    gate_of(Lake(made.config)).record_audit(run, made.audited(DAY))
    with pytest.raises(Superseded, match=f"windrow replay {made.query.name} --day {DAY}$"):
        publish_audited(made, "older")


def test_notes_that_are_wrong_fail_the_ingest_of_the_day_and_of_no_other(published):
    """Also if the day passed before."""
    spoil_noted(Lake(published), FIRST)
    with pytest.raises(GateFailed, match="the newest start is that of silver.*limit:.*\n.*windrow query"):
        ingest_day(published, "bikes", FIRST, "spoilt", silent)
    assert ingest_day(published, "bikes", SECOND, "right", silent).files == ()
