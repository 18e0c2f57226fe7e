"""Tables are what their definitions say, and a write replaces exactly what its predicate names."""

import dataclasses
from datetime import UTC, date, datetime

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.pipelines.config import Config
from windrow.pipelines.delta.file_commits import committing, replace_partitions, replace_paths
from windrow.pipelines.delta.lake import Lake, Where
from windrow.pipelines.delta.new_files import write_rows
from windrow.pipelines.engines.engine import without_paths
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.schemas.errors import NotSetUp, StorageFailed, TableMismatch
from windrow.schemas.stream import Column
from windrow.schemas.tables import Table

DAYS = [date(2020, 1, 1), date(2020, 1, 2)]
TABLE = Table(
    "things",
    "for tests",
    (
        Column("path", "string", "where it's from", nullable=False),
        Column("start", "timestamp", "begin", nullable=False),
        Column("end", "timestamp", "end", nullable=False),
        Column("size", "float64", "how big", "m"),
        Column("day", "date", "its day", nullable=False),
    ),
    ("day",),
    ("path",),
    (("ends_after_start", "`end` >= start"),),
)
AWKWARD = ["it's", "back\\slash", 'quo"te', "\\n", "ünï", "100%", "$a", "", "a`b", "''"]


def rows(paths: list[str], day: date = DAYS[0], end_hour: int = 2) -> pa.Table:
    start, end = (datetime(2020, 1, 1, hour, tzinfo=UTC) for hour in (1, end_hour))
    made = [{"path": path, "start": start, "end": end, "size": None, "day": day} for path in paths]
    return pa.Table.from_pylist(made, schema=arrow_schema(TABLE))


def paths(config) -> list[str]:
    return sorted(Lake(config).read("things")["path"].to_pylist())


@pytest.fixture
def made(config) -> Config:
    Lake(config).ensure(TABLE)
    return config


def by_files(config: Config, where: Where, table: pa.Table) -> int:
    """As tasks and the driver do."""
    lake = Lake(config)
    files = write_rows(lake, TABLE, table)
    if "day" in where:
        return replace_partitions(lake, TABLE, "day", list(where["day"]), files)
    if "path" in where:
        paths = [str(path) for path in where["path"]]
        return replace_paths(lake, TABLE, paths, files, lambda old: without_paths(lake, TABLE, paths, old))
    with committing(lake, TABLE) as commit:
        return commit.replace(commit.files(), files)


def by_rows(config: Config, where: Where, table: pa.Table) -> int:
    return Lake(config).replace(TABLE, where, table)


BAD = {"outside": rows(["a"], DAYS[1]), "ends before start": rows(["a"], end_hour=0),
       "null": rows(["a"]).set_column(0, "path", pa.nulls(1, pa.string()))}  # fmt: skip
BOTH = pytest.mark.parametrize("write", [by_files, by_rows])


def test_a_table_is_made_with_comments_constraints_and_without_deletion_vectors(made):
    found = DeltaTable(made.lake / "things")
    comments = {field.name: field.metadata["comment"] for field in found.schema().fields}
    assert comments["path"] == "where it's from"
    assert comments["size"] == "how big [m]"
    assert found.metadata().description == "for tests"
    assert found.metadata().configuration["delta.enableDeletionVectors"] == "false"
    assert found.metadata().configuration["delta.constraints.ends_after_start"] == "`end` >= start"


def test_making_it_again_changes_nothing_and_a_new_comment_is_taken_over(made):
    before = Lake(made).version("things")
    Lake(made).ensure(TABLE)
    assert Lake(made).version("things") == before
    commented = Column("day", "date", "day", nullable=False)
    changed = dataclasses.replace(TABLE, columns=(*TABLE.columns[:-1], commented))
    Lake(made).ensure(changed)
    assert DeltaTable(made.lake / "things").schema().fields[-1].metadata["comment"] == "day"


def test_every_difference_is_listed(made):
    path, start, end, _, day = TABLE.columns
    changed = (dataclasses.replace(path, type="int64"), dataclasses.replace(start, nullable=True), end)
    columns, constraints = (*changed, Column("weight", "float64", "new"), day), (("ends_after_start", "`end` > start"),)
    with pytest.raises(TableMismatch) as mismatch:
        Lake(made).ensure(Table("things", "other", columns, (), (), constraints))
    listed = "\n".join(mismatch.value.differences)
    for part in ("weight is missing", "size is not in the definition", "path: type is string"):
        assert f"column {part}" in listed
    for part in ("column start: nullable is False", "partitioned by ('day',)", "constraint ends_after_start"):
        assert part in listed
    assert len(mismatch.value.differences) == 6


@BOTH
def test_exactly_what_the_predicate_names_is_replaced(made, write):
    write(made, {}, rows(["a", "b"]))
    write(made, {"day": DAYS[1:]}, rows(["c"], DAYS[1]))
    write(made, {"path": ["b", "x"]}, rows(["b", "x"]))
    assert paths(made) == ["a", "b", "c", "x"]
    before = Lake(made).version("things")
    assert write(made, {"day": DAYS[:1]}, rows([])) == before + 1
    assert paths(made) == ["c"]
    write(made, {"day": []}, rows([]))
    assert paths(made) == ["c"]


@BOTH
@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_rows_outside_the_predicate_or_against_a_constraint_are_refused(made, write, bad):
    write(made, {}, rows(["kept"]))
    of_ours = (StorageFailed, "is not of the days|violate its constraint|fail validation")
    kind, message = of_ours if write is by_files else (Exception, "validation|non-nullable")
    before = Lake(made).version("things")
    with pytest.raises(kind, match=message):
        write(made, {"day": DAYS[:1]}, bad)
    assert paths(made) == ["kept"] and Lake(made).version("things") == before


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Config:
    config = Config(tmp_path_factory.mktemp("kept"), tmp_path_factory.mktemp("landing"))
    Lake(config).ensure(TABLE)
    return config


ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)


@pytest.mark.slow
@BOTH
@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(AWKWARD) | ANY_TEXT, unique=True, max_size=12), st.integers(0, 12))
def test_any_names_mean_themselves_in_both_dialects(kept, write, names, again):
    write(kept, {}, rows([*names, "other one"]))
    write(kept, {"path": names}, rows(names[:again]))
    assert paths(kept) == sorted([*names[:again], "other one"])


def test_a_table_that_is_not_there_is_reported(config):
    assert Lake(config).version("things") is None
    with pytest.raises(NotSetUp, match="things"):
        Lake(config).read("things")
