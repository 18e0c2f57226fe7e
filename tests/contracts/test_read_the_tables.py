"""The lake belongs to no engine: delta-rs, DuckDB and Polars read every kind of table alike; the blocks of the page on
reading the tables run over a real lake, and give the rows that `windrow query` gives."""

from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pytest
from deltalake import DeltaTable

import windrow
from tests.support.lakes import PATIENT
from tests.support.rules import FENCED, ROOT, blocks
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake

pytestmark = PATIENT
PAGE = (ROOT / "docs/read-the-tables.md").read_text()
COLUMNS = ("start_station_id", "window_start", "revision", "trips")


def block(title: str, language: str) -> str:
    """The first block of a language below a heading."""
    below = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return next(code for found, code in FENCED.findall(below) if found == language)


def over(home: Path, text: str) -> str:
    """The text with another home than the demo's."""
    assert "var/demo" in text
    return text.replace("var/demo", str(home))


def sorted_rows(table: object) -> list[tuple]:
    rows = pa.table(table).select(list(COLUMNS)).to_pylist()
    return sorted((tuple(row.values()) for row in rows), key=str)


@pytest.fixture
def home(first_published: Config, monkeypatch) -> Path:
    """A home whose lake has revisions."""
    monkeypatch.setenv("WINDROW_HOME", str(first_published.home))
    return first_published.home


@pytest.fixture
def expected(home) -> list[tuple]:
    """What turned out to be true."""
    newest = sorted_rows(windrow.sql("SELECT * FROM bikes_demand_final"))
    assert 0 < len(newest) < len(windrow.sql("SELECT * FROM bikes_demand"))
    return newest


@pytest.mark.parametrize("title", ["In Python, with Windrow", "pandas", "Polars", "DuckDB"])
def test_each_way_gives_the_newest_revisions(title, home, expected):
    made: dict = {}
    exec(over(home, block(title, "python")), made)
    assert sorted_rows(made["newest"]) == expected


def test_the_statement_with_the_extension_gives_them_where_deltalake_opens_the_table(home, expected):
    """`delta_scan` itself is in an extension that DuckDB downloads: it is the one part that is exchanged."""
    *_, statement, _ = block("DuckDB", "sql").split(";")
    with duckdb.connect() as database:
        database.register("revisions", Lake(Config(home, home)).dataset("bikes_demand"))
        asked = statement.replace("delta_scan('var/demo/lake/bikes_demand')", "revisions")
        assert asked != statement
        assert sorted_rows(database.sql(asked)) == expected


def test_an_answer_can_be_replayed(home):
    [source] = [body for body in blocks("docs/read-the-tables.md", "python") if body.startswith("from datetime")]
    made: dict = {}
    exec(source, made)
    assert made["rows"]["trips"].sum() > 0
    assert made["late"]["late_by"].notna().any()
    assert len(made["events"]) == Lake(Config(home, home)).read("silver_bikes").num_rows


INGESTED = ["files", "bronze", "silver", "quarantine", "pass", "partitions"]
OF_QUERIES = ["bikes_demand_audit", "bikes_demand", "bikes_demand_late_audit", "bikes_demand_late", "bikes_daily"]
KINDS = [*(f"{name}_bikes" for name in INGESTED), *OF_QUERIES, "bikes_last_hour", "runs", "verdicts"]


@pytest.mark.parametrize("name", KINDS)
def test_three_readers_see_the_same_rows_and_columns_and_nothing_that_they_cannot_read(first_published, name):
    place = str(first_published.lake / name)
    ours, table = Lake(first_published).read(name), DeltaTable(place)
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        database.register("found", Lake(first_published).dataset(name))
        by_duckdb = database.sql("SELECT * FROM found").to_arrow_table()
    for found in (table.to_pyarrow_table(), polars.scan_delta(place).collect().to_arrow(), by_duckdb):
        assert found.column_names == ours.column_names
        assert sorted(map(repr, found.cast(ours.schema).to_pylist())) == sorted(map(repr, ours.to_pylist()))
    assert table.protocol().min_reader_version == 1
    assert table.metadata().configuration["delta.enableDeletionVectors"] == "false"
