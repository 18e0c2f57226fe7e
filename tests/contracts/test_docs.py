"""The docs say what is: made pages are up to date, and each command, file and statement in them works. As a site they
are built strictly, so that no link is broken and the menu has every page; it loads nothing."""

import ast
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
import typer

from tests.contracts.test_layers import PACKAGES
from tests.support.processes import python
from tests.support.rules import FENCED, PAGES, ROOT, assert_none, blanked, blocks, line_of
from windrow.pipelines.cli import _app as command_line
from windrow.pipelines.local import late_table, replay_table
from windrow.pipelines.sql.statements import add_revisions
from windrow.schemas.query import Query
from windrow.schemas.registry import query

HOUR = timedelta(hours=1)
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#:]+)\)")
TOUR = re.findall(r"^\d+\. `(\S+)`, `(\S+)`: ", (ROOT / "docs" / "flow.md").read_text(), re.MULTILINE)
"""File and function of each stop."""
# Files that a page shows the reader how to make.
TO_BE_MADE = re.compile(
    r"boat_trips|bikes_by_hour|bikes_short_trips|bikes_long_trips|bikes_rush|sum_of_squares|mean_of_squares|fortnights|full_truck"
    r"|docker/secrets"
)
FOLDERS = tuple(f"{name}/" for name in PACKAGES + ["docker", "docs", "requirements", "tests"])


def pieces() -> Iterator[tuple[str, str]]:
    """What pages set as code, each with its place: lines of blocks, and pieces within a sentence."""
    for page in PAGES:
        text, name = page.read_text(), page.relative_to(ROOT)
        for block in FENCED.finditer(text):
            first = line_of(text, block.start(2))
            yield from ((f"{name}:{first + at}", line.strip()) for at, line in enumerate(block[2].splitlines()))
        sentences = blanked(FENCED, text)
        yield from ((f"{name}:{line_of(text, each.start())}", each[1]) for each in INLINE.finditer(sentences))


@pytest.mark.slow
def test_a_made_page_is_what_the_definitions_say_now():
    from tools.docs.pages import pages  # draws with Matplotlib: a second, once

    old = [f"docs/{name}" for name, text in pages().items() if (ROOT / "docs" / name).read_text() != text]
    assert_none("a made page is what the definitions say now: run make docs", old)


def test_every_windrow_command_that_a_page_shows_has_these_options():
    commands = typer.main.get_command(command_line.app()).commands
    shown = [(place, piece) for place, piece in pieces() if re.match(r"(\.venv/bin/)?windrow \w", piece)]
    unknown = [f"{place} {piece}: {wrong}" for place, piece in shown for wrong in unknown_words(piece, commands)]
    assert_none("a command that a page shows is one of windrow --help, with options that it has", unknown)


def unknown_words(piece: str, commands: dict) -> list[str]:
    _, name, *words = shlex.split(piece, comments=True)
    if name not in commands:
        return [name]
    named = [parameter.opts + parameter.secondary_opts for parameter in commands[name].params]
    known = {"--help"}.union(*named)
    return [word for word in words if word.startswith("--") and word not in known]


def test_every_make_target_that_a_page_shows_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = [(place, re.match(r"make ([a-z][a-z-]*)(?: |$)", piece)) for place, piece in pieces()]
    unknown = [f"{place} {found[0]}" for place, found in shown if found and found[1] not in targets]
    assert_none("a target that a page shows is in the Makefile", unknown)


def test_every_link_and_file_that_a_page_names_exists():
    named = [(place, piece, ROOT / piece) for place, piece in pieces()
             if piece.startswith(FOLDERS) and re.fullmatch(r"[\w./-]+", piece)]  # fmt: skip
    missing = [each for each in [*links(), *named] if not each[2].exists() and not TO_BE_MADE.search(str(each[2]))]
    assert_none("what a page links or names is there", (f"{place} {shown}" for place, shown, _ in missing))


def links() -> Iterator[tuple[str, str, Path]]:
    for page in PAGES:
        text = page.read_text()
        for link in LINK.finditer(text):
            yield f"{page.relative_to(ROOT)}:{line_of(text, link.start())}", link[1], page.parent / link[1]


def test_every_page_is_reached_from_the_index():
    index = (ROOT / "docs/README.md").read_text()
    names = [path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md"]
    assert_none("a page is reached from docs/README.md", (f"docs/{name}" for name in names if name not in index))


# Noon in UTC is morning in New York and the next day on Kiritimati.
@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Pacific/Kiritimati"])
def test_the_selects_for_other_tools_say_what_windrow_query_says_in_every_zone(zone):
    ours, theirs = blocks("docs/semantics.md", "sql")
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


@pytest.mark.nightly
def test_the_example_of_the_farm_prints_what_its_page_says(capsys):
    [source] = blocks("docs/farm.md", "python")
    exec(source, {})
    assert f"prints `{capsys.readouterr().out.strip()}`" in (ROOT / "docs/farm.md").read_text()


def test_the_tour_of_the_code_names_functions_that_are_there():
    missing = [f"{file} {function}" for file, function in TOUR if function not in functions_of(file)]
    assert_none("the tour names functions that are there: correct tools/docs/templates/flow.md.j2", missing)
    assert 0 < len(TOUR) == len(re.findall(r"^\d+\. ", (ROOT / "docs" / "flow.md").read_text(), re.MULTILINE))


def functions_of(file: str) -> set[str]:
    body = ast.parse((ROOT / file).read_text()).body
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    return functions | {f"{each.name}.{node.name}" for each in classes for node in each.body if hasattr(node, "name")}


def test_the_worked_query_prints_what_the_page_shows(capsys):
    [code], [shown] = (blocks("README.md", language) for language in ("python", "text"))
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == shown


@pytest.mark.slow
def test_the_figures_of_the_concepts_are_those_of_the_worked_query():
    from tools.docs.drawings import readme_query  # draws with Matplotlib: a second, once

    trips, query = readme_query()
    lines = [*watermarks(trips, query), *answers(trips, query), *missed(trips, replace(query, allowed_lateness=HOUR))]
    page = (ROOT / "docs/concepts.md").read_text().splitlines()
    missing = (line for line in lines if line not in page)
    assert_none("a figure of docs/concepts.md follows from README's query", missing)


def watermarks(trips: pa.Table, query: Query) -> Iterator[str]:
    events = sorted(trips.to_pylist(), key=lambda trip: trip["arrival"])
    newest = accumulate((trip["start"] for trip in events), max)
    for trip, start in zip(events, newest, strict=True):
        watermark = start - query.lateness
        yield f"| {trip['station']} | {trip['start']:%H:%M} | {trip['arrival']:%H:%M} | {watermark:%H:%M} |"


def answers(trips: pa.Table, query: Query) -> Iterator[str]:
    found = replay_table(trips, query).to_pylist()
    for row in found:
        yield (
            f"| {row['station']} | {row['window_start']:%H:%M} | {row['revision']} | {row['pane']} "
            f"| {row['emitted_at']:%H:%M} | {row['trips']} | {row['late_events']} |"
        )
    for known_at in ("09:00", "11:00", "11:20", "in the end"):  # by text, the last is the greatest
        known = {f"{row['window_start']:%H}": row["trips"] for row in found if f"{row['emitted_at']:%H:%M}" <= known_at}
        yield f"| {known_at} | {known.get('08', 'no answer')} | {known.get('09', 'no answer')} |"


def missed(trips: pa.Table, query: Query) -> Iterator[str]:
    for row in late_table(trips, query).to_pylist():
        minutes = row["late_by"] // 60_000_000
        yield f"| {row['start']:%H:%M} | {row['arrival']:%H:%M} | {row['first_missed']:%H:%M} | {minutes} |"


def test_the_page_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


# What a browser loads by itself; a link that a reader follows may lead anywhere.
LOADED = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?([^\"' >]+)|<link\b[^>]*\bhref=[\"']?([^\"' >]+)")
IN_STYLE = re.compile(r"url\(\s*[\"']?(https?:[^)\"']+)")
ELSEWHERE = re.compile(r"(?:https?:)?//")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    into = tmp_path_factory.mktemp("site")
    settings = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = python("-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", into, cwd=ROOT, env=settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return into


@pytest.mark.slow
def test_every_page_of_docs_is_in_the_site(site):
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    names = [page.with_name("index.html") if page.name == "README.md" else page.with_suffix(".html") for page in pages]
    assert not [name for name in names if not (site / name).exists()]


@pytest.mark.slow
def test_a_browser_loads_nothing_from_elsewhere(site):
    loaded = {name for page in site.rglob("*.html") for found in LOADED.findall(page.read_text()) for name in found}
    assert any(name.endswith(".css") for name in loaded) and any(name.endswith(".js") for name in loaded)
    assert not [name for name in loaded if ELSEWHERE.match(name)]
    assert not [url for sheet in site.rglob("*.css") for url in IN_STYLE.findall(sheet.read_text())]


@pytest.mark.slow
def test_search_finds_a_word_without_a_server(site):
    index = (site / "search" / "search_index.js").read_text()
    assert index.startswith("var __index = ") and "how far a line's event time" in index
    assert "iframe-worker.js" in (site / "index.html").read_text()
