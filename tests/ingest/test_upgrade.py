"""A table `files_<stream>` of an earlier version is refused, and made again without counting anything twice. No JVM."""

import dataclasses
import hashlib

import pytest

from pipelines.delta.lake import Lake
from schemas.errors import TableMismatch
from tests.support import landings, trips
from tests.support.lakes import ingest
from tests.support.landings import BIKES, content_of, path_of

NEW_COLUMNS = ("content_bytes", "modified_ns", "before")
CONTENTS = {
    path_of(BIKES, name, packed=True): content_of(BIKES, [trips.trip(f"2017-06-0{3 + n} 08:00:00", 60), "no trip"])
    for n, name in enumerate("ab")
}
FIRST, SECOND = CONTENTS


def make_older(config) -> None:
    """The table as it was: without the new columns, with hashes of the files' bytes on disk."""
    lake, table = Lake(config), trips.TABLES.files
    rows = lake.read(table.name).drop_columns(list(NEW_COLUMNS)).to_pylist()
    (config.lake / table.name).rename(config.home / "newer")
    columns = tuple(column for column in table.columns if column.name not in NEW_COLUMNS)
    older = dataclasses.replace(table, columns=columns)
    lake.ensure(older)
    for row in rows:
        row["content_hash"] = hashlib.sha256((config.landing / row["path"]).read_bytes()).hexdigest()
    lake.append(older, rows)


@pytest.mark.slow
@pytest.mark.parametrize("renamed", [False, True], ids=["left", "renamed and unpacked"])
def test_an_older_table_is_refused_and_made_again_once_it_is_moved_away(config, renamed):
    for path, content in CONTENTS.items():
        landings.put(config, path, content)
    ingest(config, BIKES)
    before = landings.held(config, BIKES)
    make_older(config)
    with pytest.raises(TableMismatch, match="move its folder away"):
        ingest(config, BIKES)
    if renamed:
        landings.put(config, path_of(BIKES, "moved", packed=False), CONTENTS[SECOND])
        (config.landing / SECOND).unlink()
    (config.lake / "files_bikes").rename(config.home / "older")
    ingest(config, BIKES)
    after = landings.held(config, BIKES)
    assert after["silver_bikes"] == before["silver_bikes"]
    assert after["quarantine_bikes"] == before["quarantine_bikes"]
    assert landings.file_rows(config, BIKES)[SECOND].state == "accepted"
