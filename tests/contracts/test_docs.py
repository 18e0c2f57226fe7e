"""The docs say what is: made pages are up to date, and each command, file and statement in them works."""

import ast
import re
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
import typer

from pipelines.cli import _app as command_line
from pipelines.lake.sql.statements import add_revisions
from schemas.query import Query
from schemas.registry import query
from tools import spec_examples
from tools.docs.pages import pages
from tools.docs.tour import TOUR

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
EACH_PAGE = pytest.mark.parametrize("page", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in PAGES])
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
# Files that a page shows the reader how to make.
TO_BE_MADE = re.compile(
    r"boat_trips|bikes_by_hour|bikes_short_trips|bikes_long_trips|sum_of_squares|mean_of_squares|fortnights|full_truck"
    r"|docker/secrets"
)
FOLDERS = (
    "schemas/",
    "pipelines/",
    "kernels/",
    "tests/",
    "stack/",
    "docker/",
    "tools/",
    "docs/",
    "requirements/",
    "dags/",
    "samples/",
    "processes/",
    "tools/",
)


def pieces(page: Path) -> list[str]:
    """What a page sets as code: lines of blocks, and pieces within a sentence."""
    text = page.read_text()
    lines = [line.strip() for _, body in BLOCK.findall(text) for line in body.splitlines()]
    return lines + re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))


@pytest.mark.parametrize("name", pages())
def test_a_made_page_is_what_the_definitions_say_now(name):
    assert (ROOT / "docs" / name).read_text() == pages()[name], "run: make docs"


def test_the_examples_of_the_semantics_are_the_spec_tests_as_they_are_now():
    page = spec_examples.PAGE.read_text()
    assert page == spec_examples.renewed(page), "run: make docs"
    assert page.count("\n`window=") > 50


@EACH_PAGE
def test_every_windrow_command_that_a_page_shows_has_these_options(page):
    application = typer.main.get_command(command_line.app())
    for piece in pieces(page):
        words = shlex.split(piece, comments=True) if re.match(r"(\.venv/bin/)?windrow \w", piece) else []
        if words:
            command = application.commands.get(words[1])
            assert command, f"{piece}: known are {command_line.command_names()}"
            known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
            assert {word for word in words[2:] if word.startswith("--")} <= known, piece


@EACH_PAGE
def test_every_make_target_that_a_page_shows_exists(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = {match[1] for piece in pieces(page) if (match := re.match(r"make ([a-z][a-z-]*)(?: |$)", piece))}
    assert shown <= targets


@EACH_PAGE
def test_every_link_and_file_that_a_page_names_exists(page):
    links = [page.parent / link for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]
    named = [ROOT / piece for piece in pieces(page) if piece.startswith(FOLDERS) and re.fullmatch(r"[\w./-]+", piece)]
    assert not [path for path in links + named if not path.exists() and not TO_BE_MADE.search(str(path))]


def test_every_page_is_reached_from_the_index():
    index = (ROOT / "docs/README.md").read_text()
    assert not [
        path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md" and path.name not in index
    ]


# Noon in UTC is morning in New York and the next day on Kiritimati.
@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Pacific/Kiritimati"])
def test_the_selects_for_other_tools_say_what_windrow_query_says_in_every_zone(zone):
    page = (ROOT / "docs/semantics.md").read_text()
    ours, theirs = (body for language, body in BLOCK.findall(page) if language == "sql")
    here, elsewhere = reader("UTC"), reader(zone)
    columns = ", ".join(revisions().column_names)
    for our, their in zip(statements(ours), statements(theirs), strict=True):
        assert rows(here, our, columns) == rows(elsewhere, their, columns)
    known_then, true_now = (len(rows(elsewhere, statement, columns)) for statement in statements(theirs))
    assert (known_then, true_now) == (2, 3)


def reader(zone: str) -> duckdb.DuckDBPyConnection:
    """A session in a time zone; `windrow query` is one in UTC."""
    connection = duckdb.connect(":memory:")
    connection.execute(f"SET TimeZone = '{zone}'")
    connection.register("bikes_demand", revisions())
    add_revisions(connection, query("bikes_demand"))
    return connection


def statements(block: str) -> list[str]:
    plain = "\n".join(line.split("--")[0] for line in block.splitlines())
    return [statement.strip() for statement in plain.split(";") if statement.strip()]


def rows(connection: duckdb.DuckDBPyConnection, statement: str, columns: str) -> list[tuple]:
    return connection.sql(f"SELECT {columns} FROM ({statement}) ORDER BY ALL").fetchall()


def revisions() -> pa.Table:
    """Station, hour of the window, revision, hour in which it was emitted: some before noon, some after."""
    emissions = [(1, 0, 0, 9), (1, 0, 1, 12), (1, 0, 2, 13), (1, 1, 0, 14), (None, 0, 0, 10), (None, 0, 1, 15)]
    day = datetime(2018, 11, 4, tzinfo=UTC)

    def at(hours: list[int]) -> pa.Array:
        return pa.array([day + timedelta(hours=hour) for hour in hours], pa.timestamp("us", "UTC"))

    stations, windows, numbers, emitted = (list(column) for column in zip(*emissions, strict=True))
    return pa.table({
        "start_station_id": pa.array(stations, pa.int64()), "window_start": at(windows),
        "window_end": at([hour + 1 for hour in windows]), "revision": numbers, "emitted_at": at(emitted),
        "emitted_date": pa.array([day.date()] * len(emissions)),
    })  # fmt: skip


def test_the_query_that_a_page_shows_can_be_made():
    page = (ROOT / "docs/add-a-query.md").read_text()
    [source] = [body for language, body in BLOCK.findall(page) if language == "python"]
    made = {}
    exec("from datetime import timedelta\nfrom schemas.query import *\n" + source, made)
    assert isinstance(made["QUERY"], Query)


def test_the_example_of_the_farm_prints_what_its_page_says(capsys):
    page = (ROOT / "docs/farm.md").read_text()
    [source] = [body for language, body in BLOCK.findall(page) if language == "python"]
    exec(source, {})
    assert f"prints `{capsys.readouterr().out.strip()}`" in page


@pytest.mark.parametrize("stop", TOUR, ids=lambda stop: stop.function)
def test_the_tour_of_the_code_names_functions_that_are_there(stop):
    body = ast.parse((ROOT / stop.file).read_text()).body
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    methods = {f"{each.name}.{node.name}" for each in classes for node in each.body if hasattr(node, "name")}
    assert stop.function in functions | methods
