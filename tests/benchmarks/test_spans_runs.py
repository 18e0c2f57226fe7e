"""The benchmark's code runs, so that it can't rot; how fast it is, no test says."""

from pathlib import Path

import pytest

from benchmarks import calibrate, spans, spans_map
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
    assert len(figures) == 6 and "240 voice calls" in figures[4]
    for figure in (figures[0], figures[2], figures[4]):
        assert all(f" {kernel} |" in figure for kernel in KERNELS)
    assert all("as in the paper:" in figure.lower() for figure in figures)
    assert len(list(tmp_path.glob("spans-*.png"))) == 6
    assert figures[5].count(" the planner's kernel is ") == len(spans_map.MAPS) + 1
    for each in spans_map.MAPS:
        assert figures[5].count(f"| {each.title} |") == len(each.ranges_s) * len(spans_map.OVERLAPS)


def test_thresholds_are_tried_on_a_map_and_nothing_is_changed():
    of = spans_map.MAPS[0]
    cells = [spans_map.Cell(100, 5, mean) for mean in (200, 3_000)]
    best = [spans_map.label_in(of, cell) for cell in cells]
    found = {
        of: {
            cell: spans_map.MeasuredCell({label: 1.0}, label, 1.0, 1.0, 1.0)
            for cell, label in zip(cells, best, strict=True)
        }
    }
    assert best == ["se_ml_slicing of height 4", "se_ml_slicing of height 16"]
    assert calibrate.propose(found, "under_way")[0] == calibrate.KEPT.under_way
    few_levels = {
        cell: spans_map.MeasuredCell({"se_ml_slicing of height 2": 1.0, label: 2.0}, label, 2.0, 1.0, 1.0)
        for cell, label in zip(cells, best, strict=True)
    }
    assert calibrate.propose({of: few_levels}, "under_way")[0] > calibrate.KEPT.under_way
