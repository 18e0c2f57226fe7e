"""Days that are validated together get the verdicts of each day by itself, whatever is wrong with which of them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from itertools import chain
from random import Random

import pytest

from tests.support.small_lake import DAY, DAYS, HOUR, STREAM, SmallLake, asked, choose, make_lake, random_events
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.engines.local import LocalEngine
from windrow.pipelines.gate import expectations, validation
from windrow.pipelines.gate.expectations import verdicts_by_day
from windrow.pipelines.gate.gate import Gate
from windrow.pipelines.gate.recount.tables import TableVersion
from windrow.pipelines.gate.validation_results import kept
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.sql import statements
from windrow.schemas.expectations import audit_expectations, late_expectations, silver_expectations
from windrow.schemas.tables import Table, files_table, silver_table

pytestmark = pytest.mark.slow

Rows = list[dict]
Verdicts = dict[date, list[Verdict]]
# The last of them without rows.
WEEK = [DAYS[0] + n * DAY for n in range(7)]
SILVER = silver_table(STREAM)
# No table can hold a null where its stream forbids one: the definition that is checked is stricter than the table's.
STRICT = replace(STREAM, columns=tuple(replace(column, nullable=column.name != "key") for column in STREAM.columns))
WRONG_AUDIT = {"events is in range": {"events": 0}, "pane is one of the words": {"pane": "early"},
               "late_events is in range": {"late_events": -1}, "revision is in range": {"revision": -1}}  # fmt: skip
WRONG_LATE = {"late_by is in range": {"late_by": -1}, "windows_missed is in range": {"windows_missed": 0},
              "reason is one of the words": {"reason": "lost"}}  # fmt: skip
FAULTS: dict[str, dict[str, Callable[[dict], Rows]]] = {
    SILVER.name: {
        "as many rows as ingest noted": lambda row: [],
        "whole is in range": lambda row: [row | {"whole": 1_001 if row["line"] % 2 else -1_001}],
        "key is not null": lambda row: [row | {"key": None}],
        "arrival is inside the day": lambda row: [row | {"arrival": row["arrival"] + DAY}],
        "end >= start": lambda row: [row | {"end": row["start"] - HOUR}],
    },
    "asked_audit": {
        "events >= late_events": lambda row: [row | {"late_events": row["events"] + 1}],
        **{check: lambda row, values=values: [row | values] for check, values in WRONG_AUDIT.items()},
        "emitted_at is inside the day": lambda row: [row | {"emitted_at": row["emitted_at"] - DAY}],
        "window_end > window_start": lambda row: [row | {"window_end": row["window_start"]}],
    },
    "asked_late_audit": {
        **{check: lambda row, values=values: [row | values] for check, values in WRONG_LATE.items()},
        "arrival is inside the day": lambda row: [row | {"arrival": row["arrival"] + DAY}],
        "last_missed >= first_missed": lambda row: [row | {"last_missed": row["first_missed"] - HOUR}],
    },
}


class Checked:
    """A lake of a week, and what is expected of its tables: silver's rows are those that ingest noted."""

    def __init__(self, folder, seed: int):
        events = [event for event in random_events(seed, 200, days=6) if event["key"] is not None]
        self.made: SmallLake = make_lake(Config(folder, folder), asked(), events, constrained=False)
        self.random, noted, query = Random(seed), self.made.arrival_days, self.made.query
        self.expected = {
            SILVER: {day: silver_expectations(STRICT, day, noted.events(day)) for day in WEEK},
            self.made.tables.audit: {day: audit_expectations(query, day) for day in WEEK},
            self.made.tables.late_audit: {day: late_expectations(query, day) for day in WEEK},
        }

    def spoil(self, table: Table) -> set[tuple[date, str]]:
        """Some faults in a table's rows, on some days; says which."""
        rows, partition = self.made.rows(table), table.partition_by[0]
        planted = set()
        for check, fault in FAULTS[table.name].items():
            chosen = self.random.choice(rows)
            rows = [other for row in rows for other in (fault(row) if row is chosen else [row])]
            planted.add((chosen[partition], check))
        self.made.rewrite(table, rows)
        return planted

    def together(self, table: Table) -> Verdicts:
        """The verdicts on the week."""
        return self._verdicts(table, WEEK)

    def apart(self, table: Table) -> Verdicts:
        """The verdicts on each day."""
        return {day: self._verdicts(table, [day])[day] for day in WEEK}

    def _verdicts(self, table: Table, days: list[date]) -> Verdicts:
        lake, expected = Lake(self.made.config), {day: self.expected[table][day] for day in days}
        rows = TableVersion(lake, table, lake.existing_version(table.name))
        found = verdicts_by_day(engine_of(lake.config), rows, expected)
        return {day: [replace(verdict, validation=None) for verdict in of_day] for day, of_day in found.items()}


def failed(found: Verdicts) -> set[tuple[date, str]]:
    return {(day, verdict.check_name) for day, of_day in found.items() for verdict in of_day if not verdict.passed}


def assert_shown(config: Config, found: Verdicts) -> None:
    """The SQL of a check that failed is fit for the double quotes of a shell, and shows as many rows as its figure."""
    for verdict in (verdict for of_day in found.values() for verdict in of_day if not verdict.passed):
        assert not set('"$`\\') & set(verdict.offending), verdict
        shown = statements.run(Lake(config), verdict.offending)
        counts = shown["events"].to_pylist() if verdict.figure.endswith(" rows") else [shown.num_rows]
        assert [int(verdict.figure.split()[0])] == counts, verdict


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_are_those_of_each_day_by_itself_and_of_parts_of_a_few_rows(tmp_path, monkeypatch, seed):
    checked = Checked(tmp_path, seed)
    for table in checked.expected:
        assert failed(right := checked.together(table)) == set()
        assert right == checked.apart(table)
        planted = checked.spoil(table)
        assert planted <= failed(wrong := checked.together(table))
        assert wrong == checked.apart(table)
        with monkeypatch.context() as small:
            small.setattr(LocalEngine, "slots", 1 << 20)
            small.setattr(validation, "ROWS_AT_ONCE", checked.random.choice((2, 15, 1 << 20)))
            small.setattr(expectations, "ENOUGH_ROWS", checked.random.choice((4, 9, 1 << 20)))
            assert checked.together(table) == wrong
        assert_shown(checked.made.config, wrong)


def test_a_row_too_many_on_one_day_hides_no_row_too_few_on_another(tmp_path):
    checked = Checked(tmp_path, seed=1)
    rows = checked.made.rows(SILVER)
    moved = next(row for row in rows if row["arrival_date"] == WEEK[1])
    in_its_place = {"arrival_date": WEEK[3], "arrival": moved["arrival"] + 2 * DAY}
    checked.made.rewrite(SILVER, [row if row is not moved else row | in_its_place for row in rows])
    found = checked.together(SILVER)
    assert failed(found) == {(day, "as many rows as ingest noted") for day in (WEEK[1], WEEK[3])}
    assert found == checked.apart(SILVER)


def test_a_row_of_two_days_is_not_there_twice(tmp_path):
    checked = Checked(tmp_path, seed=1)
    audit = checked.made.tables.audit
    rows = checked.made.rows(audit)
    again = next(row for row in rows if row["emitted_date"] == WEEK[1])
    again = again | {"emitted_date": WEEK[2], "emitted_at": again["emitted_at"] + DAY}
    checked.made.rewrite(audit, [*rows, again])
    assert failed(checked.together(audit)) == set()


def test_results_are_those_of_halves_that_passed_and_of_days_that_failed(tmp_path):
    checked = Checked(tmp_path, seed=1)
    audit = checked.made.tables.audit
    wrong = next(row for row in checked.made.rows(audit) if row["emitted_date"] == WEEK[4])
    checked.made.change(audit, wrong, events=-1)
    checked.together(audit)
    found = {tuple(map(WEEK.index, map(date.fromisoformat, result.days))): result.passed
             for result in kept(checked.made.config)}  # fmt: skip
    assert found == {(0, 1, 2): True, (3,): True, (4,): False, (5, 6): True}


def found(made: SmallLake, engine: str) -> list:
    """Every verdict on all days, without the file of its validation."""
    config = Config(made.config.home, made.config.landing, asked_engine=engine)
    gate = Gate(Lake(config), engine_of(config))
    verdicts = [
        *gate.check_files(made.tables.source, made.snapshot),
        *chain(*gate.check_silver(made.tables.source, made.snapshot, made.arrival_days, DAYS).values()),
        *chain(*gate.check_audit(made.audited(*DAYS)).values()),
    ]
    return [replace(verdict, validation=None) for verdict in verdicts]


def spoil_each(made: SmallLake) -> None:
    """One row of each table breaks what is expected of it, and a law."""
    silver, audit, late = silver_table(STREAM), made.tables.audit, made.tables.late_audit
    (file,) = made.rows(files_table(STREAM))
    made.change(files_table(STREAM), file, accepted=file["accepted"] + 1, readings=file["readings"] + 1)
    event = choose(made.rows(silver), lambda row: row["arrival_date"] == DAYS[1])
    made.change(silver, event, end=event["start"] - HOUR, key=None, whole=5_000)
    row = choose(made.rows(audit), lambda row: row["emitted_date"] == DAYS[1])
    made.change(audit, row, events=0, pane="nothing")
    made.add(audit, choose(made.rows(audit), lambda row: row["emitted_date"] == DAYS[1]))
    missed = choose(made.rows(late), lambda row: row["arrival_date"] == DAYS[1])
    made.change(late, missed, last_missed=missed["first_missed"] - timedelta(hours=1))


@pytest.mark.jvm
@pytest.mark.nightly
def test_the_gate_finds_on_spark_what_it_finds_here(tmp_path):
    events = [event for event in random_events(seed=5) if event["key"] is not None]
    made = make_lake(Config(tmp_path, tmp_path), asked(), events, constrained=False)
    right = found(made, "spark")
    assert right == found(made, "local") and all(verdict.passed for verdict in right)
    spoil_each(made)
    wrong = found(made, "spark")
    assert wrong == found(made, "local")
    assert sum(not verdict.passed for verdict in wrong) == 10
