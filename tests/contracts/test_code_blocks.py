"""Every code block of the docs is run by a test, or says why none can."""

import re
from typing import NamedTuple

import pytest

from tests.support.checkout import copied
from tests.support.rules import FENCED, PAGES, ROOT
from tools import console, notebook
from windrow.pipelines.cli import _writing
from windrow.pipelines.cli._progress import StageLines

LANDING = ROOT.parent / "shared" / "data"
# Lines of files, signatures, what a command printed; and drawings.
TEXT, DRAWN = "text", re.compile("[▶◀▲▼│┌└]")
GENERATOR = re.compile(r"(?:\.venv/bin/)?windrow new (\w+) (\w+)(?: --identity (\S+))?\n")
IMPORTS = """
from datetime import timedelta
from windrow.schemas.model import Model, heavy
from windrow.schemas.query import *
from windrow.schemas.stream import Layout, Refusal
from windrow.schemas.streams.cdr import parse_session
from windrow.schemas.windows.policy import EvictionPolicy
"""
# By page and first line: the test that runs the block.
RUN_BY = {
    ("README.md", "from datetime import datetime, timedelta, timezone"):
        "tests/contracts/test_docs.py::test_the_worked_query_prints_what_the_page_shows",
    ("README.md", "export WINDROW_HOME=var/demo"):
        "tests/contracts/test_code_blocks.py::test_the_commands_of_the_readme_run",
    ("README.md", "pip install windrow"):
        "tests/contracts/test_wheel.py::test_a_project_works_next_to_a_distribution_that_has_kernels_and_each_outlives_the_other",
    ("docs/projects.md", "windrow init trips --example bikes"):
        "tests/contracts/test_wheel.py::test_a_project_works_next_to_a_distribution_that_has_kernels_and_each_outlives_the_other",
    ("docs/projects.md", "def test_a_trip_is_counted(windrow_lake):"):
        "tests/contracts/test_wheel.py::test_a_project_works_next_to_a_distribution_that_has_kernels_and_each_outlives_the_other",
    ("docs/operations.md", "[streams.bikes]"):
        "tests/airflow/test_dag_settings.py::test_each_key_holds_for_the_dags_of_its_stream_or_for_the_task_of_its_query",
    ("docs/projects.md", '[project.entry-points."windrow.definitions"]'):
        "tests/schemas/test_project.py::test_an_installed_package_brings_definitions_and_a_name_has_one_file",
    ("docs/index.md", "windrow init trips --example bikes"):
        "tests/report/test_report_command.py::test_the_commands_of_the_front_page_end_with_a_report",
    ("docs/report.md", "windrow report"):
        "tests/report/test_report_command.py::test_the_command_makes_it_where_it_is_asked_to_and_says_where",
    ("docs/farm.md", "from datetime import timedelta"):
        "tests/contracts/test_docs.py::test_the_example_of_the_farm_prints_what_its_page_says",
    ("docs/semantics.md", "SELECT * FROM bikes_demand_as_of('2018-11-04 12:00:00+00');  -- known at T"):
        "tests/contracts/test_docs.py::test_the_selects_for_other_tools_say_what_windrow_query_says_in_every_zone",
    ("docs/semantics.md", "-- known at T"):
        "tests/contracts/test_docs.py::test_the_selects_for_other_tools_say_what_windrow_query_says_in_every_zone",
    ("docs/semantics.md", "from windrow.pipelines import config"):
        "tests/command_line/test_spark_views.py::test_spark_and_duckdb_give_the_same_rows",
    ("docs/add-a-feature-set.md", "windrow features bikes_station --labels labels.csv --into bikes_training"):
        "tests/features/test_page.py::test_its_commands_make_a_table_of_a_file_and_ask_again_from_the_table_itself",
    ("docs/add-a-model.md", "windrow check farm_bikes_long_trips"):
        "tests/command_line/test_replaying_models.py::test_a_day_of_a_model_is_published_and_its_farms_are_shown",
    ("docs/operations.md", "from windrow.airflow import dags"):
        "tests/airflow/test_provider.py::test_tasks_take_home_engine_and_locks_from_a_connection_as_the_page_shows",
    ("docs/operations.md", "transport:"):
        "tests/command_line/test_lineage_events.py::test_a_day_s_work_is_told_with_columns_rows_versions_and_verdicts",
    ("docs/operations.md", "windrow forget bikes/citibike-nyc-2018/trips-2018-11-04.csv.gz"):
        "tests/ingest/test_forget.py::test_a_forgotten_file_s_duplicates_take_its_place",
    ("docs/promises.md", """SELECT day, promise, arg_max(verdict, (logical_date, "at")) AS verdict"""):
        "tests/replay/test_promises_in_runs.py::test_a_promise_that_is_to_fail_keeps_the_rows_from_being_published",
    ("docs/erasure.md", """windrow forget --where "subscriber = '0123456789AB'" --stream cdr"""):
        "tests/maintenance/test_erasure.py::test_killed_anywhere_the_same_command_ends_it",
    ("docs/add-a-stream.md", "from windrow.schemas.fields import decimal_number"):
        "tests/ingest/test_json_lines.py::test_events_of_json_lines_are_in_silver_and_all_else_is_quarantined",
    ("docs/nowcast.md", "SELECT start_station_id, window_start, trips, trips_expected, trips_low, trips_high"):
        "tests/replay/test_nowcast_tables.py::test_the_order_of_the_days_changes_no_nowcast_and_a_day_that_is_made_again_gives_the_same",
    ("docs/read-the-tables.md", "import os"):
        "tests/contracts/test_read_the_tables.py::test_each_way_gives_the_newest_revisions",
    ("docs/read-the-tables.md", "windrow why bikes_demand --key start_station_id=168 --window 2018-10-01T08:00"):
        "tests/why/test_command.py::test_the_commands_of_the_page_explain_a_window_and_a_difference",
    ("docs/read-the-tables.md",
     "windrow why bikes_demand --key start_station_id=168 --window 2018-10-01T08:00 --at 2018-10-02 --and 2018-10-05"):
        "tests/why/test_command.py::test_the_commands_of_the_page_explain_a_window_and_a_difference",
    ("docs/read-the-tables.md", "from datetime import timedelta"):
        "tests/contracts/test_read_the_tables.py::test_an_answer_can_be_replayed",
    ("docs/read-the-tables.md", "from deltalake import DeltaTable"):
        "tests/contracts/test_read_the_tables.py::test_each_way_gives_the_newest_revisions",
    ("docs/read-the-tables.md", "import polars as pl"):
        "tests/contracts/test_read_the_tables.py::test_each_way_gives_the_newest_revisions",
    ("docs/read-the-tables.md", "import duckdb"):
        "tests/contracts/test_read_the_tables.py::test_each_way_gives_the_newest_revisions",
    ("docs/read-the-tables.md", "from pyspark.sql import Window, functions"):
        "tests/command_line/test_spark_views.py::test_a_session_reads_the_newest_revisions_as_the_page_says",
    ("CONTRIBUTING.md",
     "make setup       # environments, Java, Redis, Delta's JARs, compiled kernels: minutes once, then a second"):
        "tests/stack/test_doctor.py::test_the_set_up_that_runs_these_tests_is_healthy",
}  # fmt: skip
# By page and first word: why no test runs the block here.
NOT_RUN = {
    ("README.md", "make"): "the demo starts an Airflow of its own, and make test is what runs this",
    ("docs/containers.md", "docker"): "needs a docker engine; make test-image builds the images and replays in them",
    ("docs/containers.md", "export"): "needs the services of docker/compose.yaml, and so a docker engine",
    ("docs/kubernetes.md", "kubectl"): "needs a Kubernetes cluster",
    (
        "docs/read-the-tables.md",
        "INSTALL",
    ): "DuckDB downloads its extension delta from its own server, and no package has "
    "it for DuckDB 2.0; tried by hand with DuckDB 1.5.5. test_read_the_tables.py runs the SELECT without it",
}


class CodeBlock(NamedTuple):
    """A code block, and where it stands."""

    page: str
    language: str
    body: str

    @property
    def first_line(self) -> str:
        return self.body.partition("\n")[0]

    @property
    def is_text(self) -> bool:
        return self.language == TEXT or bool(DRAWN.search(self.body))

    @property
    def excuse(self) -> tuple[str, str]:
        return self.page, self.first_line.partition(" ")[0]


BLOCKS = [
    CodeBlock(str(page.relative_to(ROOT)), *found)
    for page in PAGES
    for found in FENCED.findall(page.read_text())
    if "/benchmarks/" not in str(page)
]
GENERATORS = [block for block in BLOCKS if GENERATOR.fullmatch(block.body)]
CELLS = [block for block in BLOCKS if ROOT / block.page == notebook.PAGE]
PIECES = [
    block
    for block in BLOCKS
    if block.language == "python" and (block.page, block.first_line) not in RUN_BY and block not in CELLS
]


def is_run(block: CodeBlock) -> bool:
    is_typed = block.language == "console" and ROOT / block.page in console.PAGES
    known = block.is_text or is_typed or block in GENERATORS or block in PIECES or block in CELLS
    return known or (block.page, block.first_line) in RUN_BY or block.excuse in NOT_RUN


def test_every_block_is_run_or_has_a_reason_why_not():
    assert not [f"{block.page}: {block.first_line}" for block in BLOCKS if not is_run(block)]


def test_no_reason_and_no_test_is_left_behind():
    places = {(block.page, block.first_line) for block in BLOCKS}
    assert not set(RUN_BY) - places
    assert not set(NOT_RUN) - {block.excuse for block in BLOCKS}
    for named in RUN_BY.values():
        file, _, test = named.partition("::")
        assert f"def {test}(" in (ROOT / file).read_text(), named


@pytest.mark.parametrize("block", GENERATORS, ids=lambda block: block.page)
def test_a_generator_that_a_page_shows_writes_the_files_that_the_page_names(block, tmp_path):
    copied(tmp_path, "schemas")
    kind, name, identity = GENERATOR.fullmatch(block.body).groups()
    into = copied(tmp_path, "pipelines") if kind == "window" else tmp_path
    written = _writing.write(kind, name, into, identity or "")
    page = (ROOT / block.page).read_text()
    assert all(path.is_file() and str(path.relative_to(tmp_path)) in page for path in written)


@pytest.mark.parametrize("block", PIECES, ids=lambda block: f"{block.page}: {block.first_line}")
def test_a_piece_of_python_is_python_that_runs(block):
    body = block.body
    if body.startswith("return "):
        body = "def piece(started, ended):\n    " + body.replace("\n", "\n    ") + "\npiece('08:31.0', '08:31.2')"
    exec(compile(IMPORTS + body, block.page, "exec"), {})


def test_how_far_long_work_is_stands_on_no_page(tmp_path, capsys):
    lines = StageLines()
    for shown in (("bronze",), ("bronze: 3 file(s)",), ("days of bikes_daily", 1, 3)):
        lines(*shown)
        lines.go_on()
    progress = tmp_path / "progress.txt"
    progress.write_text(f"{capsys.readouterr().err}a remark\n")
    assert progress.read_text().count(" s so far") == 3
    assert console.Shell(tmp_path).run("cat progress.txt >&2") == "a remark\n"


@pytest.mark.nightly
@pytest.mark.takes(65)
def test_the_commands_of_the_tutorial_print_what_the_pages_show():
    for page, text in console.renewed().items():
        assert page.read_text() == text, "run: make tutorial"


def test_the_page_of_the_notebook_has_its_cells_and_what_they_showed():
    kept = notebook.read()
    assert notebook.PAGE.read_text() == notebook.page(kept), "run: make training-data"
    assert notebook.DRAWING.read_text() == notebook.drawing(kept), "run: make training-data"


@pytest.mark.nightly
@pytest.mark.takes(60)
@pytest.mark.skipif(not (LANDING / notebook.TRIPS).is_dir(), reason=f"the real trips are not at {LANDING}")
def test_the_cells_of_the_notebook_show_what_the_page_shows():
    for file, text in notebook.renewed(LANDING).items():
        assert file.read_text() == text, "run: make training-data"


@pytest.mark.nightly
def test_the_commands_of_the_readme_run(tmp_path):
    (block,) = [block for block in BLOCKS if block.first_line.startswith("export WINDROW_HOME=var/demo")]
    shell = console.Shell(tmp_path)
    shell.settings["WINDROW_ENGINE"] = "local"
    shell.run(".venv/bin/python -m windrow.samples.bikes --into var/demo/landing --days 3 --trips-per-day 300")
    for command in block.body.splitlines():
        shell.run(command)
