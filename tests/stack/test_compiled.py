"""The compiled kernels can be loaded by another process: a cache that can't be would end every worker of Spark."""

import subprocess

from kernels import warm
from stack import compiled
from stack.places import PYTHON, REPOSITORY

LOADED = """
from numba.core.event import install_recorder
from kernels import warm
from kernels.runtime import tables
with install_recorder("numba:compile") as compiled:
    for load in (warm.FIRST_ROUND | warm.SECOND_ROUND).values():
        load()
print([event.data["dispatcher"].py_func.__qualname__ for _, event in compiled.buffer])
print(sum(sum(fill.stats.cache_hits.values()) for fill in tables._fills))
"""


def test_another_process_loads_the_compiled_kernels_and_compiles_nothing(set_up):
    assert compiled.is_current()
    done = subprocess.run([PYTHON, "-c", LOADED], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names, loaded = done.stdout.splitlines()
    assert (names, int(loaded) > 5) == ("[]", True), done.stdout + done.stderr


def test_every_part_of_the_kernels_is_compiled_in_its_round():
    for groups, parts in zip(compiled.ROUNDS, (warm.FIRST_ROUND, warm.SECOND_ROUND), strict=True):
        assert sorted(part for group in groups for part in group) == sorted(parts)
