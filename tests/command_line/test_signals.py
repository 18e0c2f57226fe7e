"""A signal ends a query of DuckDB at whatever moment it comes, and a command also where Python drops what it raised."""

import signal

import pytest

from stack.places import REPOSITORY
from tests.support.processes import python

pytestmark = pytest.mark.slow

STOPPED = """
import os, signal, sys, threading
from pathlib import Path
from deltalake import write_deltalake
from windrow.pipelines.cli._errors import reported
from windrow.pipelines import storage
from windrow.processes import signals


def compute(database):
    database.sql("SELECT max(a.range * b.range) FROM range(10000000) a, range(10000000) b").to_arrow_table()

def write(database):
    rows = database.sql("SELECT range AS x FROM range(1000000000000) WHERE hash(range) % 50000000 = 0")
    write_deltalake(sys.argv[1] + "/table", rows.to_arrow_reader(100000))

def stopped_at_work():
    threading.Timer(float(sys.argv[3]), os.kill, (os.getpid(), signal.SIGTERM)).start()
    globals()[sys.argv[2]](database)

signals.raise_on_signals()
database = storage.open_database(Path(sys.argv[1], "spilled"), Path(sys.argv[1]))
sys.exit(reported(stopped_at_work, False))
"""


@pytest.mark.parametrize("work", ["compute", "write"])
@pytest.mark.parametrize("moment_s", [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4])
def test_a_query_ends_at_a_signal(tmp_path, work, moment_s):
    ended = python("-c", STOPPED, tmp_path, work, moment_s, env={"PYTHONPATH": str(REPOSITORY)}, timeout=60)
    assert ended.returncode == 128 + signal.SIGTERM
    assert "error: stopped by SIGTERM; no process is left running" in ended.stderr
    assert not list(tmp_path.glob("table/_delta_log/*.json"))


DROPPED = """
import os, signal, sys, tempfile, time, weakref
from pathlib import Path
from windrow.pipelines.cli._errors import reported
from windrow.pipelines import storage
from windrow.pipelines.ledger.entry import LedgerEntry
from windrow.processes import signals

class Dropping:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(1000))  # in which the handler runs

def in_del():
    Dropping()
    time.sleep(30)

def in_callback():
    dropping = type("Referred", (), {})()
    reference = weakref.ref(dropping, lambda _: Dropping.__del__(None))
    del dropping
    time.sleep(30)

def in_busy_work():
    Dropping()
    while True:
        sum(range(1000))

def catching_all():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(30)
    except:
        pass

def in_code_that_catches_all():
    catching_all()
    LedgerEntry().stages.following(print)("replay")

def before_a_query():
    catching_all()
    database = storage.open_database(Path(tempfile.mkdtemp()), Path("."))
    database.sql("SELECT max(a.range * b.range) FROM range(10000000) a, range(10000000) b").fetchall()

signals.raise_on_signals()
sys.exit(reported(globals()[sys.argv[1]], False))
"""


@pytest.mark.parametrize(
    "where", ["in_del", "in_callback", "in_busy_work", "in_code_that_catches_all", "before_a_query"]
)
def test_a_signal_that_python_or_a_library_drops_ends_the_command_still(where):
    ended = python("-c", DROPPED, where, env={"PYTHONPATH": str(REPOSITORY)}, timeout=20)
    assert ended.returncode == 128 + signal.SIGINT
    assert (
        ended.stderr
        == "error: stopped by SIGINT; no process is left running. Run the same command again to do the rest\n"
    )
