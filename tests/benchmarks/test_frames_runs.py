"""The benchmark's code runs, so that it can't rot; how fast it is, no test says."""

from pathlib import Path

import pytest

from benchmarks import frames
from benchmarks.frames_operations import BUFFERS, OPERATIONS
from benchmarks.frames_source import DELAYED, KINDS_OF_FRAMES, tuples

pytestmark = pytest.mark.slow


@pytest.mark.nightly
def test_the_page_has_every_kind_every_buffer_and_every_operation(tmp_path: Path):
    page = frames.main(["--sizes", "small", "--folder", str(tmp_path)]).read_text()
    by_kind, by_tuples, by_frames, scans, growth, replays = page.split("\n## ")[1:]
    for figure in (by_kind, scans, growth, replays):
        assert all(f"| {kind} |" in figure for kind in KINDS_OF_FRAMES)
    for figure in (by_tuples, by_frames):
        assert all(f" {operation} |" in figure for operation in OPERATIONS)
    held = frames.SIZES["small"].held
    assert all(by_tuples.count(f"| {name} |") == len(held) for name in BUFFERS)
    assert (tmp_path / "frames-operations.png").stat().st_size > 0


def test_so_many_tuples_are_delayed_and_none_is_lost():
    given = tuples(10_000, DELAYED)
    earlier = given.times_us[1:] < given.times_us[:-1]
    assert 0.2 < earlier.mean() < DELAYED
    assert len(set(given.times_us.tolist())) == 10_000
    assert (tuples(1_000, 0).times_us[1:] > tuples(1_000, 0).times_us[:-1]).all()
