"""The commands of docs/add-a-feature-set.md, as they stand there."""

import shlex

import pytest

from tests.support.lakes import PATIENT
from tests.support.rules import blocks
from windrow.pipelines.delta.lake import Lake
from windrow.schemas.feature_set import BOTH
from windrow.schemas.registry import feature_set

pytestmark = [PATIENT, pytest.mark.slow]
LABELS = """start_station_id,asked_at,answer
3183,2018-10-01T14:00:00Z,7
-1,2018-10-01T14:00:00Z,0
3183,2018-10-01T14:00:00Z,7
"""


def test_its_commands_make_a_table_of_a_file_and_ask_again_from_the_table_itself(published, run, monkeypatch, tmp_path):
    monkeypatch.setenv("WINDROW_ENGINE", "local")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text(LABELS)
    [commands] = [each for each in blocks("docs/add-a-feature-set.md", "") if each.startswith("windrow features")]
    for command in commands.splitlines():
        ended = run(published, *shlex.split(command)[1:])
        assert ended.code == 0, ended.error
    made = Lake(published).read("bikes_training")
    of_labels = ["start_station_id", "asked_at", "answer"]
    assert made.column_names == [*of_labels, *feature_set("bikes_station").columns(BOTH)]
    assert sorted(made["start_station_id"].to_pylist()) == [-1, 3183, 3183]
