"""Windrow next to Spark's own windows runs, and both make the same rows; by how much it is quicker, no test says."""

import pytest

from benchmarks import against_spark
from benchmarks.first_light_trips import Sizes

pytestmark = [pytest.mark.jvm, pytest.mark.slow, pytest.mark.nightly]


@pytest.mark.takes(110)
@pytest.mark.parametrize("case", against_spark.CASES[:2], ids=lambda case: case.title)
def test_every_way_makes_the_same_rows(case, tmp_path, through_spark, monkeypatch):
    monkeypatch.setattr(against_spark, "ROUNDS", 1)
    found, _ = against_spark.measure(case._replace(sizes=Sizes(300, 3, 2, 1)), tmp_path)
    assert {each.theirs for each in found.comparisons} == {*case.theirs} - {against_spark.COPY}
    assert [each.differing for each in found.comparisons] == [0] * len(found.comparisons)
    assert all(each.missing == 0 for each in found.comparisons if each.theirs != against_spark.WATERMARK)
    assert all(each.ratio > 0 for each in found.comparisons)
    assert against_spark.section(found).count("| times |") == 1
