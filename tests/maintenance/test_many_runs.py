"""A week of runs of every query: what maintenance leaves of it. A year of it, with times: `make bench-upkeep`."""

from datetime import timedelta

import pytest

from benchmarks import upkeep
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.log import MOST_SMALL_FILES
from windrow.pipelines.ledger import run_table
from windrow.pipelines.upkeep.maintain import maintain
from windrow.schemas import registry
from windrow.schemas.ledger_tables import RUNS, VERDICTS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_200)]
DAYS = 7
OF_ALL_DAYS = (RUNS.name, VERDICTS.name)


def files(lake: Lake) -> dict[str, int]:
    return {name: upkeep.most_files_of_a_day(lake, name) for name in lake.names()}


def held(lake: Lake) -> dict[str, int]:
    return {name: lake.row_count(name) for name in lake.names()}


@pytest.mark.nightly
@pytest.mark.takes(55)
def test_every_day_of_every_table_has_two_files_at_most(config):
    upkeep.simulate(config, DAYS)
    lake = Lake(config)
    before, rows, steps = files(lake), held(lake), run_table.rows(lake)
    assert len(steps) == 2 * DAYS * len(registry.queries())
    # Each commit keeps the ledger small; days have as many files as were written.
    assert {before[name] for name in registry.queries()} == {upkeep.PARTS}
    assert max(before[name] for name in OF_ALL_DAYS) <= MOST_SMALL_FILES + 1
    maintain(config, timedelta(days=7), False, lambda name: None)
    after = files(lake)
    assert max(after.values()) <= upkeep.MOST_FILES < upkeep.PARTS
    assert held(lake) == rows and run_table.rows(lake) == steps
