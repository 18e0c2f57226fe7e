"""A lake, a landing folder and a ledger on S3 or HDFS have the rows that they have in a folder, by either engine."""

from datetime import timedelta

import pytest

from tests.cluster.conftest import HOME
from tests.support.command_line import typed
from tests.support.digests import digests, digests_of_rows
from tests.support.lakes import ingest, pending
from tests.support.replay import landing
from windrow.pipelines import config, storage
from windrow.pipelines.config import LOCKS, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.pipelines.location import at
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.upkeep.maintain import maintain
from windrow.pipelines.upkeep.repair import repair
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(900)]
QUERY, DAY = registry.query("bikes_demand"), landing.FIRST_DAY + timedelta(days=1)

WAYS = [("on_s3", "local", "spark"), ("on_s3", "spark", "local"), ("on_hdfs", "spark", "local")]


def made_by(configs: list[Config]) -> Config:
    """A lake of two ingests and a replay after each, by these engines in turn."""
    for number, (each, files) in enumerate(zip(configs, (landing.trips(), landing.late_file()), strict=True)):
        landing.write(each.landing, files)
        ingest(each, "bikes")
        replay_day(each, QUERY.name, DAY + timedelta(days=number))
    return configs[-1]


@pytest.fixture(scope="module")
def in_folder(tmp_path_factory) -> Config:
    folder = tmp_path_factory.mktemp("alone")
    return made_by([Config(folder / "home", folder / "landing", asked_engine="local")] * 2)


@pytest.fixture(scope="module", params=WAYS, ids=" ".join)
def remote(request, outside) -> Config:
    """Homes of their own on each server."""
    server, *engines = request.param
    variables = request.getfixturevalue(server)
    outside.setenv("WINDROW_LOCKS", variables["WINDROW_LOCKS"])
    for name in ("WINDROW_HOME", "WINDROW_LANDING"):
        outside.setenv(name, f"{variables[name]}/{'-'.join(engines)}")
    return made_by([config.load(engine=engine) for engine in engines])


def test_every_table_has_the_rows_that_it_has_in_a_folder(in_folder, remote):
    assert Lake(remote).names() == Lake(in_folder).names()
    assert digests_of_rows(remote) == digests_of_rows(in_folder)
    assert pending(remote, "bikes") == []


def test_files_are_known_by_their_content(in_folder, remote):
    def content(of: Config) -> dict[str, tuple]:
        rows = Lake(of).read("files_bikes").to_pylist()
        return {row["path"]: (row["content_hash"], row["state"], row["accepted"]) for row in rows}

    assert content(remote) == content(in_folder)


def test_nothing_of_the_lake_is_on_this_machine(remote):
    assert not any(path.suffix == ".parquet" for path in remote.here.rglob("*"))
    assert {each.below.split("/")[0] for each in storage.entries(remote.home, print)} == {"lake"}


def test_maintenance_and_repair_find_what_they_find_in_a_folder(remote):
    before = digests(remote, [QUERY.name])
    done = maintain(remote, timedelta(0), dry_run=False, progress=lambda text: None)
    assert {each.table for each in done} == {*Lake(remote).names()} and sum(each.removed_files for each in done) > 0
    assert repair(remote, []) == ([], len(done))
    assert digests(remote, [QUERY.name]) == before


def test_a_damaged_table_is_repaired_and_made_again(remote):
    days = (DAY, DAY + timedelta(days=1))
    for day in days:  # of the first, other trips landed since
        replay_day(remote, QUERY.name, day)
    lake, before = Lake(remote), digests(remote, [QUERY.name])
    first, *_ = lake.files(QUERY.name)
    at(first).write_bytes(b"no Parquet")
    (found,), _ = repair(remote, [QUERY.name])
    assert "can't be read" in found.wrong or "bytes and should have" in found.wrong
    assert found.moved_to.startswith(f"{remote.home}/damaged/") and found.commands
    for day in days:
        replay_day(remote, QUERY.name, day)
    assert digests(remote, [QUERY.name]) == before


def test_a_damaged_ledger_is_made_of_what_is_left(remote):
    lake = Lake(remote)
    count = lake.row_count("runs")
    log = lake.folder("runs") / "_delta_log"
    newest = max(name for name in storage.names(log) if name.endswith(".json"))
    (log / newest).write_bytes(b"{")
    (found,), _ = repair(remote, ["runs"])
    assert found.rows_lost is None and lake.row_count("runs") == count
    assert len(run_table.rows(lake, [("step", "=", "publish"), ("state", "=", "done")])) >= 2


def test_without_a_lock_service_it_is_read_and_not_written(remote, monkeypatch):
    monkeypatch.delenv(LOCKS)
    alone = Config(remote.home, remote.landing, asked_engine="local")
    versions = {name: Lake(alone).version(name) for name in Lake(alone).names()}
    for write in (lambda: ingest(alone, "bikes"), lambda: replay_day(alone, QUERY.name, DAY)):
        with pytest.raises(NotSetUp, match=f"Without such locks two writers.*nothing was written.*{LOCKS}=postgresql"):
            write()
    assert {name: Lake(alone).version(name) for name in versions} == versions
    assert Lake(alone).row_count(QUERY.name) > 0


def test_a_user_types_either_spelling(on_s3):
    ended = typed("tables", "--json", **{**on_s3, "WINDROW_HOME": HOME.replace("s3:", "s3a:")})
    assert ended.code == 0


def test_a_server_that_does_not_answer_is_named(on_s3):
    ended = typed("tables", **{**on_s3, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"})
    assert ended.code == 10 and "127.0.0.1:1" in ended.error
