"""The benchmark's code runs, so that it can't rot; how fast it is, no test says."""

from pathlib import Path

import pytest

from benchmarks import mta
from benchmarks.mta_latency import KERNELS, TREES

pytestmark = [pytest.mark.slow, pytest.mark.nightly]


def test_the_page_has_every_figure_with_a_row_for_every_kernel(tmp_path: Path):
    page = mta.main(["--sizes", "small", "--folder", str(tmp_path)]).read_text()
    figures = page.split("\n## ")[1:]
    assert len(figures) == 6
    for name in (*KERNELS, *(f"{tree}, LMDB" for tree in TREES)):
        assert f"| {name} |" in figures[0]
    assert all("as in the paper:" in figure.lower() for figure in figures)
    assert len(list(tmp_path.glob("mta-*.png"))) == 4
    assert "results are the same" in page and "OTHERS" not in page
