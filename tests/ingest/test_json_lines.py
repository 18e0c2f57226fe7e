"""A stream whose files are lines of JSON, and Parquet, from the definition that a page shows to events in silver."""

import gzip
import json
import shlex
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.command_line.test_check import COPIED, windrow
from tests.support.checkout import copied
from tests.support.rules import blocks

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(1)]
STREAM = """
from datetime import date, timedelta

from windrow.schemas.stream import Column, Stream

STREAM = Stream(
    name="buoys",
    title="Heights of waves",
    source="made",
    layouts=(READINGS,),
    columns=(
        Column("buoy", "string", "the buoy's number", nullable=False),
        Column("wave_height_m", "float64", "height of the waves", "m", low=0, high=40, nullable=False),
    ),
    key=("buoy",),
    buckets=1,
    ahead_at_most=timedelta(minutes=1),
    zone="UTC",
    clock_rule="as written, in UTC",
    first_day=date(2024, 5, 1),
)
"""


def line(buoy: object, minute: int, wave_height: object) -> str:
    times = {"taken_at": f"2024-05-01 10:{minute:02}:00", "received_at": f"2024-05-01 11:{minute:02}:00.25"}
    return json.dumps({"buoy": buoy, **times, "wave_height_m": wave_height})


LINES = [
    line({"id": "b-7"}, 0, 1.25),
    line({"id": 8}, 1, "0.5"),
    line({"id": "b-7"}, 0, 1.25),
    line(None, 2, 1),
    line({"id": "b-7"}, 3, None),
    line({"id": "b-7"}, 4, 41),
    line({"id": ["b-7"]}, 5, 1),
    "[1, 2]",
    '{"buoy": {"id": "b-7"}, "taken_at": "2024-05-01 10:0',
]


MORNING = datetime(2024, 5, 1, 10, 10, 0, 250_000)
ROWS = [
    {"buoy": {"id": 10}, "taken_at": MORNING, "received_at": MORNING, "wave_height_m": 1.5},
    {"buoy": {"id": 10}, "taken_at": MORNING, "received_at": MORNING, "wave_height_m": float("nan")},
    {"buoy": None, "taken_at": MORNING, "received_at": MORNING, "wave_height_m": 2.0},
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the tree with the stream of the page, and a landing folder with its files."""
    tree = copied(tmp_path_factory.mktemp("tree"), *COPIED)
    [layout] = [
        body
        for body in blocks("docs/add-a-stream.md", "python")
        if body.startswith("from windrow.schemas.fields import decimal_number")
    ]
    (tree / "schemas" / "streams" / "buoys.py").write_text(f'"""Waves."""\n\n{layout}\n{STREAM}')
    landing = tree / "landing" / "buoys"
    landing.mkdir(parents=True)
    (landing / "a.jsonl").write_text("".join(f"{each}\n" for each in LINES))
    (landing / "b.jsonl.gz").write_bytes(gzip.compress(line({"id": "b-9"}, 9, 2).encode()))
    pq.write_table(pa.Table.from_pylist(ROWS), landing / "c.parquet")
    pq.write_table(pa.Table.from_pylist(ROWS), landing / "d.parquet", compression="none", row_group_size=1)
    (landing / "e.parquet").write_bytes((landing / "c.parquet").read_bytes()[:-9])
    return tree


def rows(tree: Path, statement: str) -> list[dict]:
    [asked] = windrow(tree, shlex.join(["query", statement, "--json"]))
    assert asked.code == 0, asked.error
    return asked.json


@pytest.fixture(scope="module")
def ingested(tree) -> Path:
    """The tree after an ingest."""
    [done] = windrow(tree, "ingest buoys")
    assert done.code == 0, done.error
    return tree


def of_files(ending: str, columns: str, table: str) -> str:
    return f"SELECT {columns} FROM {table}_buoys WHERE path LIKE '%{ending}' ORDER BY path, line"


def test_events_of_json_lines_are_in_silver_and_all_else_is_quarantined(ingested):
    tree, ours = ingested, "path NOT LIKE '%.parquet'"
    columns = "buoy, wave_height_m, start::VARCHAR AS start"
    silver = rows(tree, f"SELECT {columns} FROM silver_buoys WHERE {ours} ORDER BY arrival")
    assert [tuple(row.values()) for row in silver] == [
        ("b-7", 1.25, "2024-05-01 10:00:00+00"),
        ("8", 0.5, "2024-05-01 10:01:00+00"),
        ("b-9", 2.0, "2024-05-01 10:09:00+00"),
    ]
    refused = rows(tree, f"SELECT line, reason, detail FROM quarantine_buoys WHERE {ours} ORDER BY line")
    assert [(row["line"], row["reason"]) for row in refused] == [
        (3, "duplicate"), (4, "unreadable"), (5, "unreadable"), (6, "out of range"), (7, "unreadable"),
        (8, "unreadable"), (9, "unreadable"),
    ]  # fmt: skip
    assert refused[1]["detail"] == "buoy is empty"
    assert refused[5]["detail"] == "no JSON object, but a list, in the line '[1, 2]'"
    assert rows(tree, f"SELECT text FROM bronze_buoys WHERE line = 2 AND {ours}") == [{"text": LINES[1]}]


def test_a_row_of_parquet_is_a_line_of_json(ingested):
    silver = rows(ingested, of_files("c.parquet", "line, buoy, wave_height_m, start::VARCHAR AS start", "silver"))
    assert silver == [{"line": 1, "buoy": "10", "wave_height_m": 1.5, "start": "2024-05-01 10:10:00.25+00"}]
    refused = rows(ingested, of_files("c.parquet", "line, detail", "quarantine"))
    assert refused == [
        {"line": 2, "detail": "'nan' is not a decimal number"},
        {"line": 3, "detail": "buoy is empty"},
    ]
    [first, *_] = rows(ingested, of_files("c.parquet", "text", "bronze"))
    assert json.loads(first["text"]) == ROWS[0] | dict.fromkeys(("taken_at", "received_at"), "2024-05-01 10:10:00.25")


def test_the_same_rows_in_another_parquet_file_count_once_and_a_damaged_file_is_known(ingested):
    states = rows(ingested, "SELECT path, state, accepted FROM files_buoys WHERE path LIKE '%parquet' ORDER BY path")
    assert [tuple(row.values()) for row in states] == [
        ("buoys/c.parquet", "accepted", 1),
        ("buoys/d.parquet", "duplicate file", 0),
        ("buoys/e.parquet", "unreadable", 0),
    ]
    [refused] = rows(ingested, of_files("e.parquet", "reason, detail", "quarantine"))
    assert refused["reason"] == "unreadable file"


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("header=None", 'header=("buoy",)', "allowed: None, as its lines are JSON, which has no header"),
        ("members=(", "members=None and (", "paths of other files, or members: a row of Parquet is a line of JSON"),
    ],
)
def test_what_does_not_go_with_such_files_is_a_mistake_that_check_names(tree, tmp_path, right, wrong, message):
    file = copied(tmp_path, *COPIED) / "schemas" / "streams" / "buoys.py"
    source = (tree / "schemas" / "streams" / "buoys.py").read_text()
    file.write_text(source.replace(right, wrong))
    [checked] = windrow(tmp_path, "check buoys")
    assert checked.code == 15
    assert message in " ".join((checked.error + checked.out).split())
