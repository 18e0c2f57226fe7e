"""A signal ends a query of DuckDB at whatever moment it comes."""

import signal
import subprocess
import sys

import pytest

from tests.command_line.conftest import REPOSITORY

STOPPED_IN_A_QUERY = """
import os, signal, sys, threading
from pathlib import Path
from pipelines import spilling, stopping
from pipelines.commands._errors import reported
stopping.raise_on_signals()
database = spilling.database(Path(sys.argv[1]))
endless = "SELECT max(a.range * b.range) FROM range(10000000) a, range(10000000) b"
threading.Timer(float(sys.argv[2]), os.kill, (os.getpid(), signal.SIGTERM)).start()
sys.exit(reported(lambda: database.sql(endless).to_arrow_table(), False))
"""


@pytest.mark.parametrize("moment_s", [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4])
def test_a_query_ends_at_a_signal(tmp_path, moment_s):
    ended = subprocess.run(
        [sys.executable, "-c", STOPPED_IN_A_QUERY, tmp_path, str(moment_s)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(REPOSITORY)},
        timeout=60,
    )
    assert ended.returncode == 128 + signal.SIGTERM
    assert "error: stopped by SIGTERM; nothing was left running" in ended.stderr
