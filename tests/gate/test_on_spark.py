"""The gate finds on Spark what it finds here: figures, limits and SQL that shows the rows, on right and wrong rows."""

from dataclasses import replace
from datetime import timedelta
from itertools import chain

import pytest

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.engines import engine_of
from pipelines.gate.gate import Gate
from schemas.tables import files_table, silver_table
from tests.support.small_lake import DAYS, HOUR, STREAM, SmallLake, asked, choose, make_lake, random_events

DAY = DAYS[1]
pytestmark = [pytest.mark.jvm, pytest.mark.nightly]


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


def spoil(made: SmallLake) -> None:
    """One row of each table breaks what is expected of it, and a law."""
    silver, audit, late = silver_table(STREAM), made.tables.audit, made.tables.late_audit
    (file,) = made.rows(files_table(STREAM))
    made.change(files_table(STREAM), file, accepted=file["accepted"] + 1, readings=file["readings"] + 1)
    event = choose(made.rows(silver), lambda row: row["arrival_date"] == DAY)
    made.change(silver, event, end=event["start"] - HOUR, key=None, whole=5_000)
    row = choose(made.rows(audit), lambda row: row["emitted_date"] == DAY)
    made.change(audit, row, events=0, pane="nothing")
    made.add(audit, choose(made.rows(audit), lambda row: row["emitted_date"] == DAY))
    missed = choose(made.rows(late), lambda row: row["arrival_date"] == DAY)
    made.change(late, missed, last_missed=missed["first_missed"] - timedelta(hours=1))


def test_verdicts_are_the_same(tmp_path):
    events = [event for event in random_events(seed=5) if event["key"] is not None]
    made = make_lake(Config(tmp_path, tmp_path), asked(), events, constrained=False)
    right = found(made, "spark")
    assert right == found(made, "local") and all(verdict.passed for verdict in right)
    spoil(made)
    wrong = found(made, "spark")
    assert wrong == found(made, "local")
    assert sum(not verdict.passed for verdict in wrong) > 10
