"""The benchmark's code runs, so that it can't rot; how fast it is, no test says."""

from pathlib import Path

import pytest

from benchmarks import farm, farm_models, farm_peers

pytestmark = pytest.mark.slow


@pytest.mark.nightly
@pytest.mark.takes(50)
def test_the_page_has_every_figure_with_a_row_for_every_model_and_way(tmp_path: Path):
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
