"""A file's content is what it holds unpacked: a copy counts once, packed or not. No JVM."""

import gzip
import hashlib

import pytest

from tests.support import landings
from tests.support.lakes import ingest, pending
from tests.support.landings import DELAYS, TELEMETRY, content_of, path_of

pytestmark = pytest.mark.slow

CONTENT = content_of(TELEMETRY, ["2015-09-08 11:39:00,73", "2015-09-08 11:40:00,62"])
PLAIN, PACKED = (path_of(TELEMETRY, "speed", packed) for packed in (False, True))


@pytest.fixture(autouse=True)
def delays(config):
    landings.put(config, DELAYS, b"60000\n90500\n")


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(("first", "second"), [(PLAIN, PACKED), (PACKED, PLAIN)])
def test_a_copy_next_to_its_packed_file_is_a_duplicate(config, first, second, together):
    landings.put(config, first, CONTENT)
    if not together:
        ingest(config, TELEMETRY)
    landings.put(config, second, CONTENT)
    ingest(config, TELEMETRY)
    rows = landings.file_rows(config, TELEMETRY)
    refused = max(first, second) if together else second
    states = {path: row.state for path, row in rows.items() if path != DELAYS}
    assert states == dict.fromkeys((first, second), "accepted") | {refused: "duplicate file"}
    assert sum(row.accepted for row in rows.values()) == 2


def test_content_that_is_packed_anew_is_not_new(config):
    landings.put(config, PACKED, CONTENT)
    ingest(config, TELEMETRY)
    row = landings.file_rows(config, TELEMETRY)[PACKED]
    place = config.landing / PACKED
    assert (row.content_hash, row.content_bytes) == (hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))
    assert row.file_bytes == place.stat().st_size
    place.write_bytes(gzip.compress(CONTENT, compresslevel=1, mtime=5))
    assert pending(config, TELEMETRY) == []
    assert ingest(config, TELEMETRY).files == ()
