"""The benchmark's code runs, so that it can't rot; how fast it is, no test says."""

from pathlib import Path

import pytest

from benchmarks import spans
from benchmarks.spans_source import KERNELS

pytestmark = pytest.mark.slow


def test_the_page_has_every_figure_with_every_kernel(tmp_path: Path):
    calls = tmp_path / "landing" / "cdr" / "social-evolution"
    calls.mkdir(parents=True)
    lines = [
        f"19,2008-10-02 {hour:02}:{minute:02}:28,{15 * minute}" for hour in range(20) for minute in range(0, 60, 5)
    ]
    (calls / "voice.csv").write_text("\n".join(["user_id,time_stamp,duration", *lines, "19,2008-10-02 22:00:00,-4"]))
    page = spans.main([str(tmp_path / "landing"), "--sizes", "small", "--folder", str(tmp_path)]).read_text()
    figures = page.split("\n## ")[1:]
    assert len(figures) == 5 and "240 voice calls" in figures[-1]
    for figure in (figures[0], figures[2], figures[4]):
        assert all(f" {kernel} |" in figure for kernel in KERNELS)
    assert all("as in the paper:" in figure.lower() for figure in figures)
    assert len(list(tmp_path.glob("spans-*.png"))) == 5
