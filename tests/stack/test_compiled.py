"""The compiled kernels can be loaded by another process: a cache that can't be would end every worker of Spark."""

import os
import subprocess

from kernels import warm
from kernels.runtime import cache
from stack import compiled
from stack.places import PYTHON, REPOSITORY


def stamps() -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in cache.parents()[0].rglob("*.nbc")}


def test_another_process_loads_the_compiled_kernels_and_compiles_nothing(set_up):
    assert compiled.is_current()
    before = stamps()
    environment = os.environ | {"WINDROW_NUMBA": str(cache.parents()[0])}
    done = subprocess.run([PYTHON, "-m", "kernels.warm"], cwd=REPOSITORY, env=environment, check=False)
    assert done.returncode == 0
    assert stamps() == before
    assert before


def test_every_part_of_the_kernels_is_compiled_in_its_round():
    for groups, parts in zip(compiled.ROUNDS, (warm.FIRST_ROUND, warm.SECOND_ROUND), strict=True):
        assert sorted(part for group in groups for part in group) == sorted(parts)
