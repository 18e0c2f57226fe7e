"""The kernels run without the JIT, and what two processes compiled a third can run."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.processes import python
from windrow.kernels.aggregators import kernels

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
FEW_EXAMPLES = "short" if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else "fast"
TEST = "test_"
AS_PLAIN_PYTHON = (
    ("test_farm", TEST, 1),
    ("test_farm_faults", "not interrupt", 1),
    ("test_farm_limits", TEST, 1),
    ("test_frames", "plain_walk or fig_4 or policy", 1),
    ("test_heavy_functions", TEST, 1),
    ("test_invariants", "rolling-watermark-commutative or sliding-final-ordered", 1),
    ("test_per_event", "plain_list or place", 4),
    ("test_polynomial_fit", TEST, 1),
    ("test_queues", "slides_every", 4),
    ("test_random_walks", "finger_tree", 7),
    ("test_random_walks", "monoid_tree", 4),
    ("test_random_walks", "not tree", 13),
    ("test_replay", "late or jumped or shape or one_by_one or passed or in_time", 16),
    ("test_compiled_words", "place or insertion or stretches", 5),
    ("test_sketches", TEST, 1),
    ("test_spans", "plain_look or spans_ or random_replays or sketch", 2),
    ("test_states", "cut or joined", 2),
)
"""File, which of its tests, and how many of them at least."""
TAKES_S = {"test_queues": 60, "test_random_walks": 20, "test_replay": 95, "test_sketches": 40, "test_states": 28}
RETURNED = """
import sys
from windrow.kernels.aggregators import make
from windrow.kernels.runtime import checked_memory
from windrow.schemas.query import agg
def used():
    window = make(sys.argv[1], {"total": agg("sum", "v")}, column_types={"v": "int64"})
    window.bulk_insert(range(100), range(100))
    window.bulk_evict(70)
    assert window.query() == {"total": sum(range(71, 100))}
    return window
used()._close()
once = set(checked_memory._blocks)  # tables, which all windows share
window = used()
address, before = window._address, set(checked_memory._blocks)
window._close()
assert address in before and address not in checked_memory._blocks
kept = once | {array.ctypes.data for array in (window._plan.memory, window._answer_words)}
print(sum(block.size for at, blocks in checked_memory._blocks.items() if at not in kept for block in blocks))
"""
FILL = """
import sys
from windrow.kernels.aggregators import make
from windrow.schemas.query import agg
for kernel in sys.argv[1:]:
    window = make(kernel, {"sum": agg("sum", "v")}, column_types={"v": "int64"})
    window.bulk_insert(range(57), range(57))
    window.check()
    print(window.query()["sum"])
"""


def run(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return python("-c", script, *arguments, cwd=ROOT, env=os.environ | environment, timeout=280)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("file", "chosen", "passed"),
    [pytest.param(*each, marks=pytest.mark.takes(TAKES_S.get(each[0], 0))) for each in AS_PLAIN_PYTHON],
)
def test_tests_pass_as_plain_python_with_every_access_checked(file, chosen, passed):
    """With few examples, without the JIT."""
    # Else -k chooses among the few cases of every run.
    options = ["-q", "-p", "no:cacheprovider", "--nightly", f"tests/kernels/{file}.py", "-k", chosen]
    script = f"import pytest; raise SystemExit(pytest.main({options}))"
    answer = run(script, NUMBA_DISABLE_JIT="1", HYPOTHESIS_PROFILE=FEW_EXAMPLES)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert int(re.search(r"(\d+) passed", answer.stdout)[1]) >= passed


@pytest.mark.parametrize("kernel", kernels())
def test_an_aggregator_gives_all_its_memory_back(kernel):
    answer = run(RETURNED, kernel, NUMBA_DISABLE_JIT="1")
    assert (answer.stdout, answer.returncode) == ("0\n", 0), answer.stdout + answer.stderr


@pytest.mark.nightly
@pytest.mark.takes(45)
def test_what_two_processes_compiled_does_not_mix_in_a_third(tmp_path):
    """Both monoid trees have functions of the same names; the cache links by name."""
    for names in (["monoid_tree"], ["amortized_monoid_tree"], ["monoid_tree", "amortized_monoid_tree"]):
        answer = run(FILL, *names, WINDROW_NUMBA=str(tmp_path))
        assert answer.stdout.split() == [str(sum(range(57)))] * len(names), answer.stdout + answer.stderr
