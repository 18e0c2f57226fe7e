"""No public call ends the process: each gives an error of ours or the right answer, whatever types, sizes, orders,
threads, copies and damaged words it is given (tests/support/kernels/wrong_hands.py)."""

import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(config.DISABLE_JIT), reason="plain Python's memory is checked, and slow"),
]


def require_answers(calls: int, seed: str) -> None:
    """In a process of its own, whose end is seen."""
    program = [sys.executable, "-m", "tests.support.kernels.wrong_hands", str(calls), seed]
    ended = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-4000:]


def test_wrong_hands_get_errors_of_ours_or_right_answers():
    require_answers(400, "each run")


@pytest.mark.nightly
@pytest.mark.takes(45)
@pytest.mark.parametrize("seed", range(4))
def test_wrong_hands_all_night(seed):
    require_answers(25_000, f"night {seed}")
