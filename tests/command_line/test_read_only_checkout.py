"""A user who did not set up the checkout, and can write only to a home of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stack.places import REPOSITORY, WINDROW
from tests.support.lakes import DAYS, PATIENT
from tests.support.other_user import as_other_user, give

pytestmark = [
    pytest.mark.nightly,
    PATIENT,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user to whom the checkout is read-only"),
]
TABLE = """
from datetime import UTC, datetime, timedelta
import pyarrow as pa
from windrow.pipelines.local import replay_table
from windrow.schemas.query import Query, agg, tumbling

hour = timedelta(hours=1)
query = Query("asked", "none", (), tumbling(hour), {"n": agg("count"), "first": agg("first", "v")}, hour, hour)
times = pa.array([datetime(2024, 3, 9, 10, minute, tzinfo=UTC) for minute in (1, 2)], pa.timestamp("us", "UTC"))
events = pa.table({"start": times, "end": times, "arrival": times, "seq": [1, 2], "v": [7, 8]})
rows = replay_table(events, query, complete=True).to_pylist()
print([(row["n"], row["first"]) for row in rows])
"""


def run(home: Path, *command: object, **variables: str) -> subprocess.CompletedProcess:
    path = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    environment = path | {"HOME": str(home), "WINDROW_HOME": str(home)} | variables
    words = as_other_user(*command)
    return subprocess.run(words, env=environment, cwd="/", capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.takes(50)
def test_another_user_replays_a_day_with_what_the_checkout_has_compiled(ingested):
    home = give(ingested.home)
    landing = {"WINDROW_LANDING": str(ingested.landing)}
    ended = run(home, WINDROW, "replay", "bikes_demand", "--day", DAYS[1], WINDROW_ENGINE="local", **landing)
    assert ended.returncode == 0, ended.stderr
    assert "is compiled by every process again" not in ended.stderr
    quick = {"WINDROW_JAVA_OPTIONS": os.environ["WINDROW_JAVA_OPTIONS"]}
    again = run(home, WINDROW, "replay", "bikes_demand", "--day", DAYS[2], WINDROW_ENGINE="spark", **quick, **landing)
    assert again.returncode == 0, again.stderr
    assert "compil" not in again.stderr, "what the checkout lacks was kept in the home"


def test_another_user_replays_a_table_and_keeps_what_the_checkout_lacks_in_a_home(tmp_path):
    home = give(tmp_path / "home")
    for expected in (None, ""):
        ended = run(home, sys.executable, "-c", TABLE, PYTHONPATH=str(REPOSITORY))
        assert (ended.returncode, ended.stdout) == (0, "[(2, 7)]\n"), ended.stderr
        assert "is compiled by every process again" not in ended.stderr
        assert ended.stderr == expected or expected is None
