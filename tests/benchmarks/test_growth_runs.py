"""The benchmarks of growth and of rows run, so that they can't rot; by how much costs grow, no test says."""

import pytest

from benchmarks import growth, growth_replay, order_statistics, quantiles_replay, run_growth, upkeep
from schemas import registry

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("case", growth.CASES, ids=lambda case: case.name)
def test_every_case_runs_at_small_sizes(case):
    small = case._replace(sizes=(64, 128))
    assert len(growth.report(small)) == 3


def test_every_case_of_a_replay_has_its_line():
    lines = growth_replay.main(["--events", "400", "--doublings", "1"])
    assert [line.split("  ")[0] for line in lines] == list(growth_replay.CASES)
    assert all("twice the events cost" in line for line in lines)


@pytest.mark.nightly
def test_every_window_has_its_cost_of_a_quantile():
    lines = quantiles_replay.main(["--rows", "20"])
    assert len(lines) == len(quantiles_replay.WINDOWS) * len(quantiles_replay.EMITS)
    assert all("µs a row" in line for line in lines)


@pytest.mark.nightly
def test_every_exact_aggregate_has_its_cost_next_to_its_sketch():
    lines = order_statistics.main(["--events", "40"])
    assert len(lines) == len(order_statistics.LATE) * (1 + len(order_statistics.SKETCHES))
    assert all(line.endswith(("times", "µs a row")) for line in lines)


@pytest.mark.nightly
@pytest.mark.takes(75)
def test_every_step_of_a_run_is_measured_in_every_lake():
    rows = run_growth.main(["--days", "2", "3", "--trips", "3", "--rounds", "1"])
    assert [row["step, processor seconds"] for row in rows] == list(run_growth.STEPS)
    assert all(float(row["3 / 2"]) > 0 for row in rows)


@pytest.mark.nightly
def test_a_lake_of_many_runs_is_measured_before_and_after_maintenance():
    before, after = upkeep.main(["--days", "2", "--repeats", "1"])
    assert before["steps of runs"] == after["steps of runs"] == 2 * 2 * len(registry.queries())
    assert after["ms to read its steps"] > 0
