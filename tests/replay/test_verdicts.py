"""Which verdicts count when a run asks what has been judged. No JVM."""

import shutil
from datetime import date

from pipelines import lake, ledger
from pipelines.checks.verdict import Verdict
from pipelines.query_tables import QueryTables
from schemas import registry

DAY = date(2018, 11, 4)
AUDIT = QueryTables.of(registry.query("bikes_daily")).audit


def _judge(config, version: int) -> None:
    run = ledger.Run("a run", "bikes", "bikes_daily", DAY)
    ledger.write_verdicts(config, run, [Verdict("a check", True, "0", "0", None, AUDIT.name, version)])


def test_the_newest_judged_version_is_the_greatest_of_the_day(config):
    lake.ensure(config, AUDIT)
    assert ledger.newest_judged_version(config, AUDIT.name, DAY) is None
    _judge(config, 7)
    _judge(config, 3)
    assert ledger.newest_judged_version(config, AUDIT.name, DAY) == 7
    assert ledger.newest_judged_version(config, AUDIT.name, date(2018, 11, 5)) is None


def test_verdicts_on_a_table_that_was_moved_away_say_nothing_of_the_one_made_anew(config):
    lake.ensure(config, AUDIT)
    _judge(config, 40)
    shutil.rmtree(config.table(AUDIT.name))
    lake.ensure(config, AUDIT)
    assert ledger.newest_judged_version(config, AUDIT.name, DAY) is None
