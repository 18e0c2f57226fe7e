"""Short histories of a few processes, in which every call to the file system and every commit may fail, be slow, be
asked again, or kill its process; each is checked against the contract (tests/support/faults/contract.py).

A seed says all that happens: `python -m tests.support.faults --seed 7` repeats one, and prints its calls.
"""

import os
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from tests.support.faults.history import Histories, histories
from tests.support.faults.plain_delta import PlainTable

FIRST, COUNT = (
    int(os.environ.get(f"WINDROW_FAULTS_{name}", default)) for name, default in (("FIRST", 1), ("COUNT", 40))
)
NIGHTLY = range(1_000, 1_500)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """In memory, where the system has a folder there: a history makes thousands of calls."""
    memory = Path("/dev/shm")
    with (
        tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        histories(Path(folder)) as made,
    ):
        yield made


def test_histories_keep_the_contract(made: Histories):
    for seed in range(FIRST, FIRST + COUNT):
        made.run(seed)


@pytest.mark.nightly
@pytest.mark.takes(120)
def test_more_histories_keep_the_contract(made: Histories):
    for seed in NIGHTLY:
        made.run(seed)


def test_a_history_follows_from_its_seed(made: Histories):
    assert made.run(FIRST).story() == made.run(FIRST).story()


def test_delta_rs_reads_what_a_history_leaves(made: Histories):
    """The tables in plain Python are tables: same versions, rows and statistics."""
    lake = made.run(FIRST).config.lake
    for folder in lake.glob("[a-z]*"):
        plain, found = PlainTable(str(folder)), DeltaTable(str(folder))
        assert plain.version() == found.version()
        assert _rows(plain.to_pyarrow_table()) == _rows(found.to_pyarrow_table())
        actions = plain.get_add_actions(flatten=True)
        assert _rows(actions) == _rows(pa.table(found.get_add_actions(flatten=True)).select(actions.schema.names))


def _rows(table: pa.Table) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in table.to_pylist())
