"""Which verdicts count when a run asks what has been checked. No JVM."""

import shutil
from datetime import date

from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.ledger import verdicts
from pipelines.ledger.entry import Run
from pipelines.ledger.verdicts import Verdict
from schemas import registry

DAY = date(2018, 11, 4)
AUDIT = QueryTables.of(registry.query("bikes_daily")).audit


def _check(config, version: int) -> None:
    run = Run("a run", "bikes", "bikes_daily", DAY)
    verdicts.write(Lake(config), run, [Verdict("a check", True, "0", "0", None, AUDIT.name, version)])


def test_the_newest_checked_version_is_the_greatest_of_the_day(config):
    Lake(config).ensure(AUDIT)
    assert verdicts.newest_version(Lake(config), AUDIT.name, DAY) is None
    _check(config, 7)
    _check(config, 3)
    assert verdicts.newest_version(Lake(config), AUDIT.name, DAY) == 7
    assert verdicts.newest_version(Lake(config), AUDIT.name, date(2018, 11, 5)) is None


def test_verdicts_on_a_table_that_was_moved_away_say_nothing_of_the_one_made_anew(config):
    Lake(config).ensure(AUDIT)
    _check(config, 40)
    shutil.rmtree(config.lake / AUDIT.name)
    Lake(config).ensure(AUDIT)
    assert verdicts.newest_version(Lake(config), AUDIT.name, DAY) is None
