"""Files of steps that were cut off, damaged as by a machine that lost its power: reported once, and set aside."""

import itertools
import json
import os
import time
from pathlib import Path

import pytest

from tests.support.lakes import DAYS, PATIENT
from tests.support.processes import python
from windrow.pipelines.cli import _app as command_line
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.ledger import running
from windrow.pipelines.ledger.entry import Run

QUERY, DAY = "bikes_demand", DAYS[2]
REPLAY = ["replay", QUERY, "--day", str(DAY)]
DAMAGES = {
    "empty": lambda file: os.truncate(file, 0),
    "truncated": lambda file: os.truncate(file, file.stat().st_size // 2),
    "garbage": lambda file: file.write_bytes(b"\xff\x00\xfe" * 50),
    "zeros": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    "other JSON": lambda file: file.write_text('["no", "step"]'),
    "not all of a row": lambda file: file.write_text('{"run_id": "a run"}'),
}
pytestmark = PATIENT


@pytest.fixture
def cut_off(published, monkeypatch) -> Path:
    """The file of a step whose process is gone."""
    monkeypatch.setenv("WINDROW_HOME", str(published.home))
    recording = ledger.Recording(Lake(published))
    with recording.steps([Run("cut", "bikes", QUERY, DAY)], "audit"):
        pass
    (begun,) = recording.begun
    begun.hold.close()
    return begun.path


@pytest.mark.parametrize(
    "damage, words", [*zip(DAMAGES, itertools.cycle((["runs"], ["runs", "--stale"], REPLAY)))], ids=str
)
def test_a_damaged_file_is_reported_once_and_breaks_no_command(cut_off, published, caplog, damage, words):
    DAMAGES[damage](cut_off)
    content = cut_off.read_bytes()
    assert command_line.run(words) == 0
    aside = published.damaged / "running" / cut_off.name
    assert caplog.text.count(str(aside)) == 1
    assert aside.read_bytes() == content and not cut_off.exists()
    assert command_line.run(words) == 0
    assert caplog.text.count(str(aside)) == 1


def test_people_read_it_on_stderr(cut_off, published):
    DAMAGES["truncated"](cut_off)
    ran = python("-m", "windrow.pipelines", "runs", "--json")
    assert f"moved to {published.damaged}" in ran.stderr and json.loads(ran.stdout)


def test_a_whole_file_is_a_step_that_was_cut_off(cut_off, published):
    (row,) = ledger.rows(Lake(published), [("run_id", "=", "cut")])
    assert row.state == "cut off" and cut_off.exists()


def test_the_damaged_file_of_a_living_process_stays(published):
    begun = running.begin(published, {"a row": 1})
    assert running.found(published) == [] and begun.path.exists()
    begun.forget()


def test_who_may_not_move_the_file_reads_so_and_goes_on(cut_off, published: Config, caplog):
    DAMAGES["empty"](cut_off)
    published.damaged.write_text("no folder")
    assert command_line.run(["runs"]) == 0
    assert "can't be moved" in caplog.text and cut_off.exists()


def test_of_two_who_collect_at_once_one_gets_the_step(cut_off, published):
    with running.collecting(published) as first, running.collecting(published) as second:
        assert ([row["run_id"] for row in first], second) == (["cut"], [])
    assert not cut_off.exists()


def test_what_was_never_written_goes_after_an_hour(cut_off, published):
    fresh, old = (cut_off.with_name(f"{name}.unfinished") for name in ("fresh", "old"))
    for file, age_s in ((fresh, 0), (old, 3_700)):
        file.touch()
        os.utime(file, (time.time() - age_s,) * 2)
    with running.collecting(published):
        assert fresh.exists() and not old.exists()
