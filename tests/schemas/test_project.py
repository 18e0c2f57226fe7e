"""A project's folder: how it is found, what its file says, and whose definitions there are."""

import json
import os
from pathlib import Path

import pytest

from tests.schemas.test_broken_definitions import edit
from tests.support.processes import python
from tests.support.rules import ROOT

FACTS = """
import json
from windrow.pipelines import config
from windrow.pipelines.ledger import code_hash
from windrow.schemas import mistakes, project, registry
made = config.load()
print(json.dumps({
    "home": str(made.home), "landing": str(made.landing), "engine": made.engine, "task_bytes": made.task_bytes,
    "queries": {name: code_hash.definition_hash(query.stream, name) for name, query in registry.queries().items()},
    "broken": {name: str(error) for name, error in registry.broken_queries().items()},
    "places": {name: mistakes.file_of(registry.module_of(name)) for name in registry.query_names()},
    "code": code_hash.code_hash(),
}))
"""
QUERY = """
from datetime import timedelta
from windrow import Query, agg, tumbling
QUERY = Query("{name}", "bikes", key=("start_station_id",), window=tumbling(timedelta(hours=1)),
              aggregates={{"answer": agg("{function}", "trip_duration_s")}},
              lateness=timedelta(0), allowed_lateness=timedelta(0))
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    """A project with a stream and two queries, one with an aggregate of its own."""
    made = tmp_path / "mine"
    for name, text in {
        "windrow.toml": 'landing = "in"\nengine = "local"\ntask_mib = 3\n',
        "streams/bikes.py": (ROOT / "examples/streams/bikes.py").read_text(),
        "queries/bikes_plain.py": QUERY.format(name="bikes_plain", function="sum"),
        "queries/bikes_total.py": QUERY.format(name="bikes_total", function="total"),
        "aggregates/total.py": (ROOT / "kernels/monoids/sum.py").read_text(),
    }.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    return made


def asked(folder: Path, program: str = FACTS, **variables: str):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WINDROW_")}
    return python("-c", program, cwd=folder, env=kept | {"PYTHONPATH": str(ROOT)} | variables)


def facts(folder: Path, **variables: str) -> dict:
    ended = asked(folder, **variables)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def refused(folder: Path, **variables: str) -> str:
    ended = asked(folder, **variables)
    assert ended.returncode != 0
    return ended.stderr.splitlines()[-1]


def test_it_is_found_from_the_folders_below_it_and_by_its_variable(folder, tmp_path):
    below = folder / "queries"
    for where, variables in ((folder, {}), (below, {}), (tmp_path, {"WINDROW_PROJECT": "mine"})):
        found = facts(where, **variables)
        assert found["queries"].keys() == {"bikes_plain", "bikes_total"}
        assert (found["home"], found["landing"]) == (str(folder / "var"), str(folder / "in"))
        assert (found["engine"], found["task_bytes"]) == ("local", 3 << 20)
        assert found["places"]["bikes_total"] == "queries/bikes_total.py"
    assert "WINDROW_PROJECT is 'queries'; allowed: a folder that has windrow.toml" in refused(
        folder, WINDROW_PROJECT="queries"
    )


def test_a_variable_beats_the_file(folder, tmp_path):
    found = facts(folder, WINDROW_HOME=str(tmp_path / "other"), WINDROW_ENGINE="spark", WINDROW_TASK_MIB="5")
    assert (found["home"], found["engine"], found["task_bytes"]) == (str(tmp_path / "other"), "spark", 5 << 20)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ladning = 'in'", "is 'ladning'; allowed: home, landing,"),
        ("ladning = 'in'", "Did you mean 'landing'?"),
        ("[stream.bikes]", "Did you mean 'streams'?"),
        ("streams = 3", "allowed: tables, [streams.NAME]"),
        ("landing = ", "a file of TOML; this one is none: Invalid value"),
        ("engine = 'flink'", "engine of windrow.toml is 'flink'; allowed: spark or local"),
        ("task_mib = -1", "task_mib of windrow.toml is '-1'; allowed: a whole number from 1"),
    ],
)
def test_what_its_file_can_not_say_is_refused_by_its_name(folder, text, said):
    (folder / "windrow.toml").write_text(f"{text}\n")
    assert said in refused(folder)


def test_a_change_of_its_aggregate_is_one_of_the_queries_that_ask_it_and_of_no_code(folder):
    before = facts(folder)
    edit(folder, "aggregates/total.py", "MONOIDS = ", "CHANGED = True\nMONOIDS = ")
    after = facts(folder)
    changed = {name for name, known in after["queries"].items() if known != before["queries"][name]}
    assert (changed, after["code"]) == ({"bikes_total"}, before["code"])


def test_an_installed_package_brings_definitions_and_a_name_has_one_file(folder, tmp_path):
    packages = tmp_path / "site"
    for name, text in {
        "company_streams/__init__.py": "raise RuntimeError('definitions are found without it')",
        "company_streams/queries/bikes_ours.py": QUERY.format(name="bikes_ours", function="max"),
        "company-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: company\nVersion: 1.0\n",
        "company-1.0.dist-info/entry_points.txt": "[windrow.definitions]\nours = company_streams\n",
    }.items():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text(text)
    path = f"{packages}{os.pathsep}{ROOT}"
    found = facts(folder, PYTHONPATH=path)
    assert (found["queries"].keys(), found["broken"]) == ({"bikes_ours", "bikes_plain", "bikes_total"}, {})
    (packages / "company_streams/queries/bikes_plain.py").write_text(QUERY.format(name="bikes_plain", function="max"))
    found = facts(folder, PYTHONPATH=path)
    assert found["queries"].keys() == {"bikes_ours", "bikes_total"}
    assert "queries/bikes_plain.py" in found["broken"]["bikes_plain"]
    assert (
        "one file; these have it: " in found["broken"]["bikes_plain"]
        and "company_streams" in found["broken"]["bikes_plain"]
    )


EDITED = """
import os, pathlib, sys
from windrow.schemas import project
folder = pathlib.Path(sys.argv[1])
os.environ[project.VARIABLE] = str(folder)
for owner in ("first", "second"):
    (folder / project.FILE).write_text(f'owner = "{owner}"')
    project.enter(folder / "dags" / "mine.py")
    print(project.setting("WINDROW_OWNER"))
"""


def test_a_file_of_dags_that_is_parsed_again_sees_what_was_edited_meanwhile(tmp_path):
    """By Airflow, in a fork of a process that has read the settings before the edit."""
    assert python("-c", EDITED, tmp_path).stdout.split() == ["first", "second"]
