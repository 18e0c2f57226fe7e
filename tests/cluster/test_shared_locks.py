"""Four processes of both engines commit to one table on S3 at the same time: each row is there once."""

import os
import subprocess
import sys
from collections import Counter

import pytest

from pipelines import config, storage
from pipelines.lake.lake import Lake
from tests.support.commits import TABLE

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(3_600)]
WRITERS = {"one": "local", "two": "spark", "three": "local", "four": "spark"}
COMMITS = int(os.environ.get("WINDROW_COMMITS", "1000"))


def test_of_many_commits_none_is_lost_and_none_doubled(on_s3):
    each = COMMITS // len(WRITERS)
    command = [sys.executable, "-m", "tests.support.commits"]
    running = [subprocess.Popen([*command, engine, name, str(each)], env=on_s3) for name, engine in WRITERS.items()]
    assert [process.wait() for process in running] == [0] * len(running)
    lake = Lake(config.load())
    rows = Counter((row["writer"], row["number"]) for row in lake.read(TABLE.name).to_pylist())
    assert rows == Counter({(writer, number): 1 for writer in WRITERS for number in range(each)})
    history = storage.delta_table(lake.folder(TABLE.name)).history()
    assert sum(commit["operation"] == "WRITE" for commit in history) == each * len(WRITERS)
