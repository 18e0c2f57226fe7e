"""Short histories of a few processes, in which every call to the file system and every commit may fail, be slow, be
asked again, or kill its process; each is checked against the contract (tests/support/faults/contract.py).

A seed says all that happens: `python -m tests.support.faults --seed 7` repeats one, and prints its calls.
"""

import errno
import os
import tempfile
from contextlib import suppress
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError

from tests.support.faults.history import Histories, histories
from tests.support.faults.plain_delta import PlainTable
from windrow.pipelines.cli._errors import reported
from windrow.pipelines.delta import damage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.entry import Run
from windrow.schemas.errors import StorageFailed
from windrow.schemas.ledger_tables import RUNS

FIRST, COUNT = (
    int(os.environ.get(f"WINDROW_FAULTS_{name}", default)) for name, default in (("FIRST", 1), ("COUNT", 40))
)
NIGHTLY = 2_000
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
@pytest.mark.timeout(3_600)
def test_more_histories_of_another_day_keep_the_contract(made: Histories):
    first = date.today().toordinal() * NIGHTLY
    for seed in range(first, first + NIGHTLY):
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


# What histories have found, each by itself: another list of operations gives a seed another history.


class _Stopped(BaseException):
    """As a signal raises it."""


@pytest.mark.parametrize("second", [DeltaError("Input/output error (os error 5)"), _Stopped()], ids=["error", "signal"])
def test_a_step_whose_look_for_damage_fails_is_not_done(config, monkeypatch, second):
    def look(*_: object) -> None:
        raise second

    monkeypatch.setattr(damage, "damage_of", look)
    lake = Lake(config)
    lake.ensure(RUNS)
    with suppress(OSError, DeltaError, _Stopped), run_table.step(lake, Run("a-run", "bikes"), "ingest"):
        raise OSError(errno.EIO, "Input/output error")
    assert [row.state for row in run_table.rows(lake)] == ["failed"]


def test_a_new_table_that_can_not_be_moved_into_its_place_leaves_nothing_there(config, monkeypatch):
    def rename(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    lake = Lake(config)
    with monkeypatch.context() as full, pytest.raises(StorageFailed):
        full.setattr(os, "rename", rename)
        lake.ensure(RUNS)
    assert not lake.folder(RUNS.name).exists()
    lake.ensure(RUNS)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EIO, "Input/output error"),
        DeltaError("Generic LocalFileSystem error: Input/output error (os error 5)"),
        CommitFailedError("a concurrent transaction deleted data this operation read"),
    ],
    ids=str,
)
def test_what_a_disk_or_another_program_does_is_no_defect(config, monkeypatch, capsys, error):
    def fails() -> None:
        raise error

    monkeypatch.setenv("WINDROW_HOME", str(config.home))
    assert reported(fails, as_json=False) == StorageFailed.exit_code
    assert "defect" not in capsys.readouterr().err
