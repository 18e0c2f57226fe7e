"""A check that fails has the figure, the limit and SQL that shows the row. Each one fails: test_days_together.py."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.lakes import gate_of
from tests.support.small_lake import DAYS, HOUR, STREAM, SmallLake, asked, choose, make_lake, random_events
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate import gate
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.sql import statements
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed
from windrow.schemas.expectations import NOT_NULL, audit_expectations, late_expectations, silver_expectations
from windrow.schemas.ledger_tables import VERDICTS
from windrow.schemas.query import agg, spanning
from windrow.schemas.tables import files_table, partitions_table, pass_table, silver_table

pytestmark = pytest.mark.few_tests(6)
DAY = DAYS[1]
SILVER = silver_table(STREAM)


def require(found: list) -> None:
    if failed := gate.failure(found):
        raise failed


@pytest.fixture
def made(tmp_path) -> SmallLake:
    """A lake whose tables lack their own constraints: what the gate checks got past every other guard."""
    return make_lake(Config(tmp_path, tmp_path), asked(), random_events(seed=5), constrained=False)


def failed(verdicts: list) -> dict[str, str]:
    """Figures of the checks that failed, by name."""
    return {verdict.check_name: verdict.figure for verdict in verdicts if not verdict.passed}


def shown(made: SmallLake, verdicts: list, check: str) -> list[dict]:
    """The rows that the failed check's SQL shows; it must be fit for the double quotes of a shell."""
    offending = choose(verdicts, lambda verdict: verdict.check_name == check).offending
    assert not set('"$`\\') & set(offending)
    return statements.run(Lake(made.config), offending).to_pylist()


def of_day(made: SmallLake, table, column: str) -> dict:
    return choose(made.rows(table), lambda row: row[column] == DAY)


def check_silver(made: SmallLake) -> list:
    """What the gate finds on the day, at the tables' newest versions."""
    gate = gate_of(Lake(made.config))
    return gate.check_silver(made.tables.source, made.snapshot, made.arrival_days, [DAY])[DAY]


def check_files(made: SmallLake, paths: list[str] | None = None) -> list:
    return gate_of(Lake(made.config)).check_files(made.tables.source, made.snapshot, paths)


def require_silver(made: SmallLake, run_id: str) -> list[str]:
    """Require the day's silver; returns the names of what was checked for that run."""
    lake = Lake(made.config)
    run = Run(run_id, STREAM.name, None, DAY)
    found = gate_of(lake).record_silver(run, made.tables.source, made.snapshot, made.arrival_days, [DAY])
    for verdicts in found.values():
        require(verdicts)
    return [row["check_name"] for row in lake.read(VERDICTS.name).to_pylist() if row["run_id"] == run_id]


@pytest.mark.slow
class TestSilver:
    def test_nothing_fails_on_good_rows(self, made):
        verdicts = check_silver(made)
        assert failed(verdicts) == {}
        assert len(verdicts) == len(silver_expectations(STREAM, DAY, 0)) + 2
        assert {verdict.table_version for verdict in verdicts} == {Lake(made.config).version(SILVER.name)}

    def test_a_day_that_ingest_noted_nothing_of_must_have_no_rows(self, made):
        made.delete(partitions_table(STREAM), of_day(made, partitions_table(STREAM), "arrival_date"))
        assert "as many rows as ingest noted" in failed(check_silver(made))

    def test_law_1_fails_where_a_file_says_more_than_the_tables_hold(self, made):
        (file,) = made.rows(files_table(STREAM))
        assert failed(check_files(made)) == {}
        made.change(files_table(STREAM), file, accepted=file["accepted"] + 1, readings=file["readings"] + 1)
        verdicts = check_files(made, [file["path"]])
        law = "law 1: every reading is accounted for"
        assert failed(verdicts)[law].startswith("1 of 1 files differ")
        (row,) = shown(made, verdicts, law)
        assert row["accepted"] == row["accepted_again"] + 1

    def test_pass_ticks_that_silver_does_not_give(self, made):
        tick = of_day(made, pass_table(STREAM), "arrival_date")
        made.change(pass_table(STREAM), tick, newest_start=tick["newest_start"] + timedelta(microseconds=1))
        verdicts = check_silver(made)
        assert set(failed(verdicts)) == {"pass ticks are those of silver"}
        assert [row["problem"] for row in shown(made, verdicts, "pass ticks are those of silver")] == [
            "missing in the table",
            "only in the table",
        ]

    def test_a_heartbeat_that_the_pass_ticks_lack(self, tmp_path):
        stream = replace(STREAM, idle_after=HOUR / 2)
        made = make_lake(Config(tmp_path, tmp_path), asked(), random_events(seed=5), stream)
        assert failed(check_silver(made)) == {}
        ticks = [row for row in made.rows(pass_table(STREAM)) if row["arrival_date"] == DAY]
        arrivals = {row["arrival"] for row in made.rows(SILVER)}
        made.delete(pass_table(STREAM), choose(ticks, lambda row: row["tick"] not in arrivals))
        verdicts = check_silver(made)
        assert set(failed(verdicts)) == {"pass ticks are those of silver"}
        [row] = shown(made, verdicts, "pass ticks are those of silver")
        assert row["problem"] == "missing in the table"
        made.delete(pass_table(STREAM), ticks[-1])
        made.change(partitions_table(STREAM), of_day(made, partitions_table(STREAM), "arrival_date"),
                    newest_start=ticks[-2]["newest_start"])  # fmt: skip
        assert "the newest start is that of silver" in failed(check_silver(made))

    def test_a_newest_start_that_silver_does_not_give(self, made):
        noted = of_day(made, partitions_table(STREAM), "arrival_date")
        made.change(partitions_table(STREAM), noted, newest_start=noted["newest_start"] + HOUR)
        verdicts = check_silver(made)
        check = "the newest start is that of silver"
        assert set(failed(verdicts)) == {check}
        (row,) = shown(made, verdicts, check)
        assert row["noted"] - row["newest"] == HOUR

    def test_a_day_that_was_checked_is_not_checked_again_until_its_rows_are_others(self, made):
        assert len(require_silver(made, "first")) == len(silver_expectations(STREAM, DAY, 0)) + 2
        assert require_silver(made, "second") == []
        made.change(SILVER, of_day(made, SILVER, "arrival_date"), whole=1_001)
        assert require_silver(made, "other days changed") == []
        noted = of_day(made, partitions_table(STREAM), "arrival_date")
        made.change(partitions_table(STREAM), noted, silver_version=Lake(made.config).version(SILVER.name))
        with pytest.raises(GateFailed, match="whole is in range"):
            require_silver(made, "third")
        with pytest.raises(GateFailed, match="whole is in range"):
            require_silver(made, "a check that failed is asked again")


@pytest.mark.slow
class TestAudit:
    def check(self, made: SmallLake) -> list:
        return gate_of(Lake(made.config)).check_audit(made.audited(DAY))[DAY]

    def test_nothing_fails_on_good_rows(self, made):
        verdicts = self.check(made)
        assert failed(verdicts) == {}
        expectations = (*audit_expectations(made.query, DAY), *late_expectations(made.query, DAY))
        assert len(verdicts) == len(expectations) + 4
        require(verdicts)

    def test_columns_may_be_named_like_those_that_a_check_makes(self, tmp_path):
        query = asked(aggregates=dict.fromkeys(("copies", "rows", "number", "day", "newest"), agg("count")))
        assert failed(self.check(make_lake(Config(tmp_path, tmp_path), query, random_events(seed=5)))) == {}

    def test_the_error_names_check_figure_limit_and_query(self, made):
        row = of_day(made, made.tables.audit, "emitted_date")
        made.change(made.tables.audit, row, pane="early")
        with pytest.raises(GateFailed) as raised:
            require(self.check(made))
        assert raised.value.check == "pane is one of the words"
        for part in ("1 of ", "on_time or late", 'windrow query "SELECT * FROM asked_audit'):
            assert part in str(raised.value)


@pytest.mark.slow
def test_a_query_with_emit_final_has_no_second_revision(tmp_path):
    made = make_lake(Config(tmp_path, tmp_path), asked(emit="final"), random_events(seed=5))
    row = of_day(made, made.tables.audit, "emitted_date")
    made.change(made.tables.audit, row, revision=1)
    verdicts = gate_of(Lake(made.config)).check_audit(made.audited(DAY))[DAY]
    assert "revision is in range" in failed(verdicts)


def test_a_key_may_be_null_unless_its_column_says_that_it_may_not():
    """semantics §3: a null key is a group of its own."""
    required = {name: [each.parameters["column"] for each in silver_expectations(registry.stream(name), DAY, 1)
                       if each.kind == NOT_NULL] for name in ("telemetry", "phone_calls")}  # fmt: skip
    assert "source" in required["telemetry"]
    assert required["phone_calls"] == ["duration_s"]


@pytest.mark.parametrize("name", registry.queries())
def test_expectations_of_every_query_of_the_repository_can_be_made(name):
    query = registry.query(name)
    stream = registry.stream(query.stream)
    made = [*silver_expectations(stream, DAY, 1), *audit_expectations(query, DAY), *late_expectations(query, DAY)]
    assert len({(each.table, each.name) for each in made}) == len(made)
    assert all(each.limit and each.offending.startswith("SELECT ") for each in made)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["spanning", "spanning with gaps"])
def test_events_that_are_too_long_come_in_time_or_between_windows_and_the_gate_lets_them_through(tmp_path, kind):
    made = make_lake(Config(tmp_path, tmp_path), asked(kind), random_events(seed=3))
    too_long = [row for row in made.rows(made.tables.late_audit) if row["reason"] == "too long"]
    assert any(row["late_by"] is not None and row["late_by"] < 0 for row in too_long)
    verdicts = [each for day in DAYS for each in gate_of(Lake(made.config)).check_audit(made.audited(day))[day]]
    assert not [verdict for verdict in verdicts if not verdict.passed]


def test_one_clock_that_says_1970_does_not_make_the_gate_list_the_windows_since(tmp_path):
    """Billions of windows lie between it and the others."""
    events = [{**event, "end": event["start"]} for event in random_events(seed=3)]
    events[0] |= {"start": datetime(1970, 1, 1, tzinfo=UTC), "end": datetime(1970, 1, 1, tzinfo=UTC)}
    seconds = spanning(timedelta(seconds=1), timedelta(seconds=1), longest=timedelta(hours=1))
    made = make_lake(Config(tmp_path, tmp_path), asked(window=seconds, allowed_lateness=timedelta(0)), events)
    assert made.failing(events[0]["arrival"].date()) == set()
