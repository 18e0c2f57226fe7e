"""What histories with faults have found (test_deterministic_faults.py), each by itself: another list of operations
gives a seed another history.
"""

import errno
import os
from contextlib import suppress

import pytest
from deltalake.exceptions import CommitFailedError, DeltaError

from windrow.pipelines.cli._errors import reported
from windrow.pipelines.delta import damage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.entry import Run
from windrow.schemas.errors import StorageFailed
from windrow.schemas.ledger_tables import RUNS


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
