"""The benchmark's code runs, so that it can't rot; how fast it is, no test says."""

import gzip
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from benchmarks import calibrate, spans, spans_alone, spans_map
from benchmarks.spans_source import KERNELS, RangeBySlide, generated

pytestmark = pytest.mark.slow


@pytest.mark.nightly
@pytest.mark.takes(55)
def test_the_page_has_every_figure_with_every_kernel(tmp_path: Path):
    landing = tmp_path / "landing"
    write_sessions(landing / "cdr" / "isp-xdr" / "beijing")
    calls = landing / "cdr" / "social-evolution"
    calls.mkdir(parents=True)
    lines = [
        f"19,2008-10-02 {hour:02}:{minute:02}:28,{15 * minute}" for hour in range(20) for minute in range(0, 60, 5)
    ]
    (calls / "voice.csv").write_text("\n".join(["user_id,time_stamp,duration", *lines, "19,2008-10-02 22:00:00,-4"]))
    page = spans.main([str(landing), "--sizes", "small", "--folder", str(tmp_path)]).read_text()
    figures = page.split("\n## ")[1:]
    assert len(figures) == 9 and "calls: 240, " in figures[4] and "sessions: 300, " in figures[4]
    for figure in (figures[0], figures[2], *figures[4:8]):
        assert all(f" {kernel} |" in figure for kernel in KERNELS)
    assert all("as in the paper:" in figure.lower() for figure in [*figures[:7], figures[8]])
    assert "twice the events take at most " in figures[7]
    assert len(list(tmp_path.glob("spans-*.png"))) == 6
    assert figures[8].count(" the planner's kernel is ") == len(spans_map.MAPS) + 1
    for each in spans_map.MAPS:
        assert figures[8].count(f"| {each.title} |") == len(each.ranges_s) * len(spans_map.OVERLAPS)


def write_sessions(folder: Path) -> None:
    """A minute apart, of a minute or none; the last is one of three hours, which is left out."""
    folder.mkdir(parents=True)
    started = [datetime(2015, 8, 2, 10) + timedelta(minutes=minute) for minute in range(301)]
    lasted = [timedelta(minutes=minute % 2) for minute in range(300)] + [timedelta(hours=3)]
    lines = [f"1,2,3,APN,5,6,7,{start},{start + length},60,7,8" for start, length in zip(started, lasted, strict=True)]
    with gzip.open(folder / "BY_USER.csv.gz", "wt") as file:
        file.write("\n".join(lines))


def test_kernels_that_do_not_answer_the_same_are_not_compared(monkeypatch):
    monkeypatch.setattr(spans_alone, "_run", lambda kernel, *_: spans_alone.AloneRun(1.0, (len(kernel), 1), 0))
    with pytest.raises(ValueError, match=r"answered .* differently"):
        spans_alone.costs_alone(("se_slicing", "tuple_buckets"), generated(10, 10), RangeBySlide(10, 2), 1)


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
