"""The benchmark's code runs, so that it can't rot; how fast it is, no test says."""

from pathlib import Path

import pytest

from benchmarks import fiba
from benchmarks.window_loops import ANY_ORDER, IN_ORDER

pytestmark = [pytest.mark.slow, pytest.mark.nightly]


def test_the_page_has_every_figure_with_a_row_for_every_kernel(tmp_path: Path):
    page = fiba.main(["--sizes", "small", "--folder", str(tmp_path)]).read_text()
    figures = page.split("\n## ")[1:]
    assert len(figures) == 8
    for name in (*ANY_ORDER, *IN_ORDER):
        assert f"| sum | 0 | {name} |" in figures[0]
        assert f"| sum | {name} |" in figures[2]
    assert all("as in the paper:" in figure.lower() and "](fiba-" in figure for figure in figures)
    assert len(list(tmp_path.glob("fiba-*.png"))) == len(figures)
