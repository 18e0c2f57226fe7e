"""A model's outputs are computed again from silver, one call a window, and a row that says other is shown."""

from datetime import timedelta

import pytest

from tests.support.small_lake import DAYS, HOUR, STREAM, SmallLake, choose, random_events, replayed_lake
from tests.support.small_windows import WINDOWS
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.checks import function_outputs
from windrow.pipelines.sql import statements
from windrow.schemas.model import HeavyCall, Model, heavy

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(2)]

DAY, NAME = DAYS[1], function_outputs.NAME
KINDS = ("tumbling", "size no multiple of slide", "parts of a day")


def asked(kind: str = "sliding", emit: str = "watermark", function: HeavyCall | None = None, **changes) -> Model:
    return Model(
        name="farm_asked",
        stream=STREAM.name,
        key=("key",),
        window=WINDOWS[kind],
        function=function or heavy("autoregression", "real", order=1),
        lateness=HOUR,
        allowed_lateness=timedelta(hours=6),
        emit=emit,
        **changes,
    )


@pytest.fixture
def every_row(monkeypatch) -> None:
    """All rows are computed again, not some."""
    monkeypatch.setattr(function_outputs, "ROWS_OF_A_SHARE", 1_000_000)


@pytest.fixture
def made(tmp_path, every_row) -> SmallLake:
    return replayed_lake(Config(tmp_path, tmp_path), asked(), random_events(seed=5, count=400))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("emit", ["final", "watermark", "arrival"])
def test_it_holds_of_what_a_replay_makes(tmp_path, every_row, kind, emit):
    where = (("whole", "not_null", None),) if emit == "watermark" else ()
    made = replayed_lake(Config(tmp_path, tmp_path), asked(kind, emit, where=where), random_events(7, count=900))
    rows = made.rows(made.tables.audit)
    assert "ok" in {row["status"] for row in rows}
    assert any(row["tuples"] < row["events"] for row in rows)
    assert [made.failing(day) for day in DAYS] == [set()] * 3


@pytest.mark.parametrize(
    "function", [heavy("polynomial_fit", "real", "whole", degree=0), heavy("skyline", "whole", "real")]
)
def test_it_holds_of_functions_of_several_columns(tmp_path, every_row, function):
    made = replayed_lake(Config(tmp_path, tmp_path), asked(function=function), random_events(8, count=300))
    assert [made.failing(day) for day in DAYS] == [set()] * 3


def a_row(made: SmallLake) -> dict:
    return choose(made.rows(made.tables.audit), lambda row: row["emitted_date"] == DAY and row["status"] == "ok")


@pytest.mark.parametrize("column", ["forecast", "residual_std", "tuples", "status"])
def test_one_value_that_is_another_is_found_and_shown(made, column):
    row = a_row(made)
    wrong = {"tuples": row["tuples"] - 1, "status": "singular"}.get(column) or row[column] * (1 + 1e-15)
    made.change(made.tables.audit, row, **{column: wrong})
    assert made.failing(DAY) == {NAME}
    offending = made.verdicts(DAY)[NAME].offending
    (found,) = statements.run(Lake(made.config), offending).to_pylist()
    assert (found["window_start"], found["revision"]) == (row["window_start"], row["revision"])
    assert (found["recounted_tuples"], found["recounted_status"]) == (row["tuples"], "ok")
    assert found[column] == wrong
    assert found[f"recounted_{column}"] == row[column]


@pytest.mark.parametrize("wrong", [None, 0.0])
def test_a_value_is_no_null_and_a_null_no_value(made, wrong):
    status = "ok" if wrong is None else "too few tuples"
    row = choose(made.rows(made.tables.audit), lambda row: row["emitted_date"] == DAY and row["status"] == status)
    made.change(made.tables.audit, row, forecast=wrong)
    assert made.failing(DAY) == {NAME}


@pytest.mark.parametrize("status", function_outputs.OF_THE_MACHINE)
def test_a_row_that_says_what_depends_on_the_machine_is_left(made, status):
    nulls = dict.fromkeys(("forecast", "residual_std", "intercept", "phi_1"))
    made.change(made.tables.audit, a_row(made), status=status, **nulls)
    assert made.failing(DAY) == set()


def test_some_rows_of_each_share_are_computed_again(tmp_path):
    made = replayed_lake(Config(tmp_path, tmp_path), asked(), random_events(seed=5, count=400))
    rows = made.rows(made.tables.audit)
    made.rewrite(made.tables.audit, [{**row, "tuples": 0, "status": "singular"} for row in rows])
    figure = made.verdicts(DAY)[NAME].figure
    assert figure.startswith(f"{function_outputs.ROWS_OF_A_SHARE} of "), figure


def test_which_rows_of_a_day_are_computed_again_no_other_day_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(function_outputs, "ROWS_OF_A_SHARE", 5)
    made = replayed_lake(Config(tmp_path, tmp_path), asked(), random_events(seed=5, count=400))
    rows = made.rows(made.tables.audit)
    made.rewrite(made.tables.audit, [{**row, "tuples": row["tuples"] + number % 2} for number, row in enumerate(rows)])
    at_once, alone = made.laws_by_day(*DAYS), {day: made.laws_by_day(day)[day] for day in DAYS}
    assert at_once == alone and any(not verdict.passed for _, *_, verdict in alone.values())
