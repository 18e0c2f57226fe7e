"""The benchmarks' code runs, so that it can't rot, and what the pages' checks call rising, falling, flat and
logarithmic; how fast it is, no test says."""

import gzip
from datetime import date, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from benchmarks import (
    calibrate,
    farm,
    farm_models,
    farm_peers,
    fiba,
    frames,
    limits,
    mta,
    nowcast,
    peers,
    spans,
    spans_alone,
    spans_map,
)
from benchmarks.frames_operations import BUFFERS, OPERATIONS
from benchmarks.frames_source import DELAYED, KINDS_OF_FRAMES, tuples
from benchmarks.mta_latency import KERNELS as OF_MTA
from benchmarks.mta_latency import TREES
from benchmarks.shapes import falls, follows_logarithm, rises, spread
from benchmarks.spans_source import KERNELS, RangeBySlide, generated
from benchmarks.window_loops import ANY_ORDER, IN_ORDER
from windrow.samples import bikes

WAYS_OF_PEERS = (*peers.WAYS, *peers.OF_LANDING)
pytestmark = pytest.mark.slow


@pytest.mark.nightly
def test_the_page_of_fiba_has_every_figure_with_a_row_for_every_kernel(tmp_path: Path):
    trips = tmp_path / "landing" / "bikes" / "citibike-jc" / "trips.csv.gz"
    trips.parent.mkdir(parents=True)
    with gzip.open(trips, "wt") as file:
        file.write("starttime,stoptime\n")
        rides = (f"2018-08-01 0{hour}:00:00.5000,2018-08-01 0{hour + 1}:{hour % 6}0:00.1000\n" for hour in range(8))
        file.writelines(rides)
    page = fiba.main([str(tmp_path / "landing"), "--sizes", "small", "--folder", str(tmp_path)]).read_text()
    figures = page.split("\n## ")[1:]
    assert len(figures) == 10
    for name in (*ANY_ORDER, *IN_ORDER):
        assert f"| sum | 0 | {name} |" in figures[0]
        assert f"| sum | {name} |" in figures[2]
    assert all("as in the paper:" in figure.lower() for figure in figures)
    assert len(list(tmp_path.glob("fiba-*.png"))) == len(figures) - 1


@pytest.mark.nightly
def test_the_page_of_mta_has_every_figure_with_a_row_for_every_kernel(tmp_path: Path):
    page = mta.main(["--sizes", "small", "--folder", str(tmp_path)]).read_text()
    figures = page.split("\n## ")[1:]
    assert len(figures) == 6
    for name in (*OF_MTA, *(f"{tree}, LMDB" for tree in TREES)):
        assert f"| {name} |" in figures[0]
    assert all("as in the paper:" in figure.lower() for figure in figures)
    assert len(list(tmp_path.glob("mta-*.png"))) == 4
    assert "results are the same" in page and "OTHERS" not in page


@pytest.mark.nightly
def test_the_page_of_frames_has_every_kind_every_buffer_and_every_operation(tmp_path: Path):
    page = frames.main(["--sizes", "small", "--folder", str(tmp_path)]).read_text()
    by_kind, by_tuples, by_frames, scans, growth, replays = page.split("\n## ")[1:]
    for figure in (by_kind, scans, growth, replays):
        assert all(f"| {kind} |" in figure for kind in KINDS_OF_FRAMES)
    for figure in (by_tuples, by_frames):
        assert all(f" {operation} |" in figure for operation in OPERATIONS)
    held = frames.SIZES["small"].held
    assert all(by_tuples.count(f"| {name} |") == len(held) for name in BUFFERS)
    assert (tmp_path / "frames-operations.png").stat().st_size > 0


@pytest.mark.nightly
def test_the_page_of_nowcasts_has_a_row_and_its_claims_for_every_aggregate(tmp_path: Path):
    bikes.write(tmp_path / "landing", 12, date(2024, 6, 20), 1, 300)
    arguments = [str(tmp_path / "landing"), "--home", str(tmp_path / "home"), "--into", str(tmp_path)]
    page = nowcast.main(arguments, nowcast.QUERIES[:1]).read_text()
    for name in ("trips", "members", "total_s"):
        assert f"| bikes a quarter of an hour | {name} |" in page
        assert page.count(f": bikes a quarter of an hour, {name}: ") >= 1
    assert nowcast.SQUARES not in page


@pytest.mark.jvm
@pytest.mark.nightly
@pytest.mark.takes(200)
def test_every_way_of_the_page_of_peers_makes_the_same_rows(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(peers, "STATIONS", 7)
    sizes = ["--trips", "300", "--days", "2", "--a-day", "60"]
    page = peers.main([*sizes, "--home", str(tmp_path / "home"), "--into", str(tmp_path)]).read_text()
    assert page.count("Holds: All rows are the same.") == len(page.split("\n## ")[1:]) == 9
    assert all(page.count(f"| {way.title} |") == (1 if way in peers.OF_LANDING else 4) for way in WAYS_OF_PEERS)


@pytest.mark.jvm
@pytest.mark.nightly
@pytest.mark.takes(200)
def test_the_page_of_limits_has_every_figure_with_the_same_rows_by_both_engines(tmp_path: Path):
    sizes = ["--antennas", "2", "--days", "1", "2", "--files", "2", "4", "--runs", "100"]
    page = limits.main([*sizes, "--home", str(tmp_path / "home"), "--into", str(tmp_path)]).read_text()
    assert len(page.split("\n## ")[1:]) == 4
    assert "Holds: both engines publish the same rows." in page
    assert "| 2 | " in page and "| windrow plan |" in page


def test_so_many_tuples_are_delayed_and_none_is_lost():
    given = tuples(10_000, DELAYED)
    earlier = given.times_us[1:] < given.times_us[:-1]
    assert 0.2 < earlier.mean() < DELAYED
    assert len(set(given.times_us.tolist())) == 10_000
    assert (tuples(1_000, 0).times_us[1:] > tuples(1_000, 0).times_us[:-1]).all()


@pytest.mark.nightly
@pytest.mark.takes(50)
def test_the_page_of_farm_has_every_figure_with_a_row_for_every_model_and_way(tmp_path: Path):
    page = farm.main(["--sizes", "small", "--no-spark", "--folder", str(tmp_path)]).read_text()
    figures = page.split("\n## ")[1:]
    assert len(figures) == 9
    for asked in farm_models.IDEAL_OF_ONE:
        for model in farm_models.MODELS:
            assert all(f"| {asked.name} | {model} |" in figure for figure in (*figures[:2], figures[4]))
    for way in farm_peers.WAYS:
        assert f"| {way} |" in figures[-1]
    assert all("as in the paper:" in figures[place].lower() for place in (0, 1, 2, 4, 5, 6, 7))
    assert len(list(tmp_path.glob("farm-*.png"))) == 3


@pytest.mark.jvm
@pytest.mark.nightly
def test_spark_fits_the_same_polynomials(tmp_path: Path):
    series = farm_peers.Series(hours=1, distance_s=60)
    ours = farm_peers.all_by_farm(series)
    with farm.spark_session() as session:
        theirs = farm_peers.all_by_spark(session, series)
    assert ours.shape == theirs.shape == (113, 3)
    assert abs(ours - theirs).max() < 1e-6


@pytest.mark.nightly
@pytest.mark.takes(55)
def test_the_page_of_spans_has_every_figure_with_every_kernel(tmp_path: Path):
    landing = tmp_path / "landing"
    write_sessions(landing / "cdr" / "isp-xdr" / "beijing")
    calls = landing / "cdr" / "social-evolution"
    calls.mkdir(parents=True)
    times = product(range(20), range(0, 60, 5))
    lines = [f"19,2008-10-02 {hour:02}:{minute:02}:28,{15 * minute}" for hour, minute in times]
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


def measured(costs: dict[str, float], best: str) -> spans_map.MeasuredCell:
    return spans_map.MeasuredCell(costs, best, costs[best], 1.0, 1.0)


def test_thresholds_are_tried_on_a_map_and_nothing_is_changed():
    of = spans_map.MAPS[0]
    cells = [spans_map.Cell(100, 5, mean) for mean in (200, 3_000)]
    best = [spans_map.label_in(of, cell) for cell in cells]
    found = {cell: measured({label: 1.0}, label) for cell, label in zip(cells, best, strict=True)}
    assert best == ["se_ml_slicing of height 4", "se_ml_slicing of height 16"]
    assert calibrate.propose({of: found}, "under_way")[0] == calibrate.KEPT.under_way
    few_levels = {cell: measured({"se_ml_slicing of height 2": 1.0, label: 2.0}, label)
                  for cell, label in zip(cells, best, strict=True)}  # fmt: skip
    assert calibrate.propose({of: few_levels}, "under_way")[0] > calibrate.KEPT.under_way


@pytest.mark.parametrize(
    ("values", "are"),
    [([1, 2, 3], True), ([1, 3, 2.5], True), ([1, 3, 1.5], False), ([3, 2, 2.5], False), ([1, 8, 2, 9], False)],
)
def test_a_line_that_rises_does_so_at_every_point(values, are):
    assert rises(values) is are
    assert falls([1 / value for value in values]) is are


def test_a_flat_line_and_a_logarithm():
    assert spread([2.0, 1.0, 1.5]) == 2
    distances = [0, 15, 255, 4095]
    assert follows_logarithm(distances, [1, 3, 5, 7]) > 0.99
    assert follows_logarithm(distances, [7, 5, 3, 1]) < -0.99
    assert follows_logarithm(distances, [1, 4, 1, 4]) < 0.7
