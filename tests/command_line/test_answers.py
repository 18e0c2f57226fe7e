"""`windrow.sql` in Python: the answers of `windrow query` as tables of pandas, Polars and Arrow, and its errors."""

import json
import sys
import traceback
from datetime import date

import pandas
import polars
import pyarrow as pa
import pytest

import windrow as imported
from tests.command_line.conftest import ROWS
from windrow.schemas.errors import BadStatement, NotSetUp, TableDamaged, UnknownName, WrongParameter

NEWEST = "SELECT * FROM bikes_demand_final ORDER BY start_station_id"


@pytest.fixture
def ask(small_lake, monkeypatch):
    """`windrow.sql` over the small lake."""
    monkeypatch.setenv("WINDROW_HOME", str(small_lake.home))
    return imported.sql


def test_every_form_has_the_rows_of_the_table_and_times_with_their_zone(ask):
    answer = ask("SELECT * FROM bikes_demand ORDER BY start_station_id, revision")
    frame, polar = answer.to_pandas(), answer.to_polars()
    assert len(answer) == len(ROWS)
    assert answer.to_arrow().to_pylist() == polar.to_dicts() == ROWS
    assert pa.Table.from_pandas(frame, answer.to_arrow().schema).to_pylist() == ROWS
    assert polars.DataFrame(answer).to_dicts() == pa.table(answer).to_pylist() == ROWS, "taken as it is"
    assert str(frame["window_start"].dtype) == "datetime64[us, UTC]"
    assert polar.schema["window_start"] == polars.Datetime("us", "UTC")


def test_the_answer_is_that_of_the_command(windrow):
    statement = "SELECT start_station_id, sum(trips) AS trips FROM bikes_demand_as_of('2018-10-03 05:00') GROUP BY ALL"
    printed = json.loads(windrow("query", statement, "--json").out)
    by_station = imported.sql(statement).to_pandas().to_dict("records")
    assert sorted(by_station, key=str) == sorted(printed, key=str) != []


def test_sums_are_whole_numbers_that_a_chart_takes(ask):
    answer = ask("SELECT sum(trips) AS trips, sum(trips) * 10000000000::HUGEINT * 10000000000 AS far FROM bikes_demand")
    assert answer.to_pandas()["trips"].dtype == "int64"
    assert answer.to_polars()["trips"].to_list() == [sum(row["trips"] for row in ROWS)]
    assert answer.to_pandas()["far"][0] == 74 * 10**20


def test_a_notebook_shows_the_first_rows_and_how_many_there_are(ask):
    assert repr(ask("SELECT range AS place FROM range(12_345)")).endswith("12,345 rows, the first 10 shown")
    assert "<td>9</td>" in ask("SELECT range AS place FROM range(12_345)")._repr_html_()
    assert repr(ask("SELECT DATE 'infinity' AS far")) == "        far\n0  infinity\n1 row"


@pytest.mark.parametrize(
    ("statement", "kind", "words"),
    [
        ("SELECT * FROM bikes_demnd", UnknownName, "Did you mean 'bikes_demand'"),
        ("SELECT nothing FROM bikes_demand", BadStatement, "nothing"),
        ("SELEC 1", BadStatement, "syntax error"),
        ("SELECT 1 / 'x'", BadStatement, "Could not convert"),
        (5, WrongParameter, "statement is 5; allowed: SQL, as a text"),
    ],
)
def test_a_mistake_is_an_error_of_windrow_without_a_traceback_of_duckdb(ask, statement, kind, words):
    with pytest.raises(kind, match=words) as raised:
        ask(statement)
    assert isinstance(raised.value, imported.WindrowError)
    shown = "".join(traceback.format_exception(raised.value))
    assert "The above exception" not in shown and "During handling" not in shown


def test_a_damaged_table_is_named_and_an_empty_home_has_none(windrow, tmp_path, monkeypatch):
    for file in (tmp_path / "home" / "lake" / "bikes_demand").rglob("*.parquet"):
        file.unlink()
    with pytest.raises(TableDamaged, match="bikes_demand"):
        imported.sql("SELECT * FROM bikes_demand")
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "new"))
    with pytest.raises(UnknownName, match="known: none yet"):
        imported.sql(NEWEST)


@pytest.mark.parametrize("form", ["to_pandas", "to_polars"])
def test_a_type_that_a_library_lacks_is_refused_with_what_to_do(ask, form):
    with pytest.raises(BadStatement, match=r"(pandas|Polars) has no type.*VARCHAR"):
        getattr(ask("SELECT union_value(a := 1) AS either"), form)()


def test_a_date_beyond_python_s_years_is_refused_by_pandas_only(ask):
    answer = ask("SELECT DATE '20000-01-01' AS far, DATE '2020-01-01' AS near")
    with pytest.raises(BadStatement, match="year 20000 is out of range"):
        answer.to_pandas()
    assert answer.to_polars()["near"].to_list() == [date(2020, 1, 1)]


def test_without_polars_the_command_that_installs_it_is_named(ask, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    answer = ask(NEWEST)
    with pytest.raises(NotSetUp, match='fix it with: pip install "polars'):
        answer.to_polars()
    assert isinstance(answer.to_pandas(), pandas.DataFrame)
