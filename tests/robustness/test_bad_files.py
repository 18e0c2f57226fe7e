"""Damaged files cost nothing but themselves: each is refused with a reason, counted, and taken up once repaired."""

import gzip

import pytest

from pipelines.ingest import file_content, writes
from schemas.errors import LandingFailed
from tests.support import trips
from tests.support.lakes import PATIENT, ingest, pending

pytestmark = [pytest.mark.slow, PATIENT]

GOOD = [trips.trip("2017-06-03 08:00:00", 600), trips.trip("2017-06-03 09:00:00", 700)]
LONG = [trips.HEADER, *(trips.trip("2017-06-03 10:00:00", seconds) for seconds in range(2_000))]
COUNTED = ("accepted", "quarantined", "duplicates")
PACKED = gzip.compress("\n".join(LONG).encode())


def lay_out(config) -> dict[str, str]:
    """One file of each kind of damage, and a good one; returns their paths."""

    def put(name: str, content: bytes) -> str:
        return trips.write_bytes(config, trips.path_of(name), content)

    header = trips.HEADER.encode() + b"\n"
    odd = b"2017-06-03 08:00:00,600,7\0,79,1,1980\ncaf\xe9\n" + b"x" * 1_100_000
    return {
        "good": trips.write(config, "good", GOOD),
        "truncated": put("truncated", PACKED[:-500]),
        "empty": put("empty", b""),
        "empty inside": put("empty-inside", gzip.compress(b"")),
        "header only": trips.write(config, "header-only", []),
        "columns": trips.write(config, "columns", [GOOD[0] + ",extra", "1,2", ""]),
        "bytes": put("bytes", gzip.compress(header + odd)),
        "other header": put("other-header", gzip.compress(b"when,what\n1,2\n")),
        "not gzip": put("not-gzip", header),
    }


def test_every_kind_of_damage_is_refused_with_its_reason_and_counted_until_it_is_repaired(config):
    paths = lay_out(config)
    report = ingest(config, "bikes")
    rows = {name: trips.file_row(config, path) for name, path in paths.items()}
    counted = {name: (row["state"], row["lines"], row["readings"], row["accepted"]) for name, row in rows.items()}
    assert counted == {
        "good": ("accepted", 3, 2, 2),
        "truncated": ("unreadable", 0, 1, 0),
        "empty": ("empty", 0, 0, 0),
        "empty inside": ("empty", 0, 0, 0),
        "header only": ("accepted", 1, 0, 0),
        "columns": ("refused", 4, 3, 0),
        "bytes": ("refused", 4, 3, 0),
        "other header": ("refused", 2, 2, 0),
        "not gzip": ("unreadable", 0, 1, 0),
    }
    assert all(row["readings"] == sum(row[name] for name in COUNTED) for row in rows.values())
    of_lines = dict.fromkeys(("NUL byte", "line too long", "not UTF-8"), 1) | {"wrong column count": 3}
    assert report.refused == {**of_lines, "unknown layout": 2, "unreadable file": 2}
    assert (paths["truncated"], None, "unreadable file") in trips.quarantine(config)
    assert {row["path"] for row in trips.silver(config)} == {paths["good"]}
    for name in ("truncated", "empty", "empty inside", "header only", "not gzip"):
        assert [message for message in report.messages if message.startswith(paths[name])], name
    assert not pending(config, "bikes")
    trips.write_bytes(config, paths["truncated"], PACKED)
    ingest(config, "bikes")
    row = trips.file_row(config, paths["truncated"])
    assert (row["state"], row["readings"], row["accepted"]) == ("accepted", 2_000, 2_000)
    assert [reason for path, _, reason in trips.quarantine(config) if path == paths["truncated"]] == []


def test_a_file_that_becomes_unreadable_takes_its_events_with_it(ingested):
    path = "bikes/generated-nyc/trips-2018-06-02.csv"
    assert path in {row["path"] for row in trips.silver(ingested)}
    trips.write_bytes(ingested, path, b"")
    ingest(ingested, "bikes")
    assert path not in {row["path"] for row in trips.silver(ingested)}
    assert trips.file_row(ingested, path)["state"] == "empty"


def test_bytes_other_than_those_that_landed_are_noticed_at_the_files_end(config):
    row = file_content.inspect(config.landing, trips.BIKES, trips.TODAY, trips.write(config, "a", GOOD))
    trips.write(config, "a", GOOD[:1])
    with pytest.raises(LandingFailed, match="changed since it landed"):
        list(writes.read_file(config.landing, trips.BIKES, row))


def test_a_file_that_changes_while_it_is_read_waits_for_the_next_ingest(config):
    still, moving = trips.write(config, "still", GOOD), trips.write(config, "moving", GOOD[:1])
    changed = []

    def change_before_bronze(stage: str) -> None:
        if stage.startswith("bronze") and not changed:
            changed.append(trips.write(config, "moving", [trips.trip("2017-06-03 11:00:00", 60)]))

    report = ingest(config, "bikes", change_before_bronze)
    assert {row["path"] for row in trips.silver(config)} == {still}
    assert [message for message in report.messages if "changed while it was read" in message and moving in message]
    assert pending(config, "bikes") == [moving]
    ingest(config, "bikes")
    assert trips.file_row(config, moving)["accepted"] == 1
    assert not pending(config, "bikes")
