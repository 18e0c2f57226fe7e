"""A window kind is one new file per layer: served from events to rows and counted again by the gate."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.takes(90)
def test_what_the_generator_writes_fails_until_it_is_written_in_plain_python(tmp_path):
    for folder in ("schemas", "tools", "kernels", "pipelines", "processes", "tests/support"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    made = run(tmp_path, "tools.new", "window", "long_nights")
    assert made.returncode == 0, made.stderr
    test = tmp_path / "tests/kernels/test_window_long_nights.py"
    assert "9 failed" in run(tmp_path, "pytest", "-q", str(test)).stdout

    plain = "first = time // window.size_us * window.size_us\n    return [(first, first + window.size_us)]"
    text = test.read_text()
    start = text.index("raise NotImplementedError")
    test.write_text(text[:start] + plain + text[text.index("\n", start) :])
    ran = run(tmp_path, "pytest", "-q", str(test))
    assert "9 passed" in ran.stdout, ran.stdout

    recount = tmp_path / "pipelines/gate/recount/kinds/long_nights.py"
    recount.write_text(recount.read_text().replace("({number} + 1)", "({number} + 2)"))
    assert "3 failed, 6 passed" in run(tmp_path, "pytest", "-q", str(test)).stdout


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess:
    """A Python module in a copy of the tree, without the JIT."""
    settings = os.environ | {"PYTHONPATH": str(tree), "NUMBA_DISABLE_JIT": "1"}
    return subprocess.run([sys.executable, "-m", *arguments], cwd=tree, env=settings, capture_output=True, text=True)
