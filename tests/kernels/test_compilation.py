"""The kernels run without the JIT, and a second process compiles nothing."""

import os
import subprocess
import sys
from pathlib import Path

from kernels.warm import warm_replay

ROOT = Path(__file__).resolve().parents[2]
HITS = """
from kernels.replay.loop import replay
from kernels.warm import warm_replay
assert warm_replay() == 1
print(sum(replay.stats.cache_hits.values()), sum(replay.stats.cache_misses.values()))
"""
PLAIN = """
import pytest
raise SystemExit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "tests/kernels/test_replay.py", "-k",
                              "late or keys or jumped or shape"]))
"""


def run(script: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", script], cwd=ROOT, env={**os.environ, **environment}, text=True,
                          capture_output=True, timeout=280, check=False)


def test_a_second_process_finds_the_replay_in_the_cache():
    assert warm_replay() == 1
    answer = run(HITS)
    assert answer.stdout.split() == ["1", "0"], answer.stdout + answer.stderr


def test_the_replay_runs_as_plain_python_with_every_access_checked():
    answer = run(PLAIN, NUMBA_DISABLE_JIT="1")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "passed" in answer.stdout
