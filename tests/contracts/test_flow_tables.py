"""The map of the flow names, for each stage, exactly the tables that it reads and writes when it runs; the tour of
docs/flow.md is what runs: these functions, in this order."""

import sys
from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.contracts.test_docs import TOUR
from tests.support.lakes import PATIENT
from tests.support.replay import landing
from tests.support.rules import ROOT
from tools.docs.flow import stages
from windrow.pipelines import flow
from windrow.pipelines.config import Config
from windrow.pipelines.delta.file_commits import FileCommit
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.ingest_day import ingest_day
from windrow.pipelines.runs.replay import replay_day
from windrow.schemas.ledger_tables import RUNS
from windrow.schemas.registry import queries_of, stream, streams

DAY = landing.FIRST_DAY + timedelta(days=1)
# The second goes on from day to day.
QUERIES = ("bikes_demand", "bikes_refill")
ADD_ACTIONS = Lake.add_actions
READERS, WRITERS = ("read", "dataset", "files", "partition_dates", "add_actions"), ("append", "replace")


class Watched:
    """Notes which tables a lake reads and writes, by the stage that runs."""

    def __init__(self, query: str) -> None:
        self.query, self.stage = query, ""
        self.reads: dict[str, set[str]] = defaultdict(set)
        self.writes: dict[str, set[str]] = defaultdict(set)

    def begin(self, text: str) -> None:
        """What `progress` gets: a stage's name, or a detail that begins with that name."""
        self.stage = text.split(":")[0]

    def noting(self, found: dict[str, set[str]], method):
        def noted(lake: Lake, table, *rest, **options):
            # The log of the newest version is asked for counts of rows, that of another for files that are then read.
            if method is not ADD_ACTIONS or rest:
                found[self.stage].add(getattr(table, "name", table))
            return method(lake, table, *rest, **options)

        return noted

    def noting_commit(self, method):
        def noted(commit: FileCommit, *given):
            self.writes[self.stage].add(commit.table.name)
            return method(commit, *given)

        return noted


@pytest.fixture(scope="module", params=QUERIES)
def watched(request, tmp_path_factory) -> Watched:
    """Two ingests and two runs; the second ones find tables of the first, and lines that came in another file too."""
    watched, folder = Watched(request.param), tmp_path_factory.mktemp("watched")
    config = Config(folder / "home", folder / "landing")
    with pytest.MonkeyPatch.context() as patch:
        for names, found in ((READERS, watched.reads), (WRITERS, watched.writes)):
            for name in names:
                patch.setattr(Lake, name, watched.noting(found, getattr(Lake, name)))
        patch.setattr(FileCommit, "replace", watched.noting_commit(FileCommit.replace))
        for files in (landing.trips(), landing.late_file() | lines_again(landing.trips())):
            landing.write(config.landing, files)
            watched.begin(flow.LAND.name)
            ingest_day(config, "bikes", DAY, None, watched.begin)
            for day in (DAY - timedelta(days=1), DAY):
                replay_day(config, watched.query, day, progress=watched.begin)
    return watched


def lines_again(files: dict[str, str]) -> dict[str, str]:
    """One more file, the first by its path: events of another file lose their places to its lines."""
    first = min(files)
    return {first.replace("trips-", "trips-0-"): "\n".join([*files[first].splitlines()[:5], ""])}


def of_the_query(names: tuple[str, ...], query: str) -> set[str]:
    """Those names of the map that a run of a query can mean: no landing folder, no other query's tables."""
    others = tuple(each.name for each in queries_of("bikes") if each.name != query)
    return {name for name in names if not name.removeprefix("state_").startswith(others) and name != "landing/"}


@PATIENT
@pytest.mark.nightly
def test_a_stage_reads_and_writes_the_tables_that_the_map_names(watched):
    for stage in flow.STAGES:
        names = flow.table_names(stage, stream("bikes"))
        reads, writes = (of_the_query(each, watched.query) for each in names)
        found = watched.reads[stage.name] - {RUNS.name}
        assert reads <= found <= reads | writes, stage.name  # what it has written itself it may look at
        assert watched.writes[stage.name] - {RUNS.name} == writes, stage.name


def test_a_stream_without_queries_has_the_stages_of_its_ingest_and_no_other():
    for definition in streams().values():
        asked = bool(queries_of(definition.name))
        assert flow.stages_of(definition) == (flow.STAGES if asked else flow.ingest_task(definition).stages)
        text = stages(definition)
        assert [f"| {stage.name} | " in text for stage in (flow.REPLAY, flow.GATE, flow.PUBLISH)] == [asked] * 3


TOURED = landing.FIRST_DAY + timedelta(days=2)
STOPS = {(str(ROOT / "windrow" / file), function): (file, function) for file, function in TOUR}


@pytest.mark.nightly
def test_the_tour_of_the_docs_is_the_order_in_which_it_runs(tmp_path):
    """A second time: what is loaded or compiled in the first takes minutes while calls are noted."""
    config = Config(tmp_path / "home", tmp_path / "landing")
    first, *others = sorted(landing.trips().items())

    def ingest(files: list[tuple[str, str]]) -> None:
        landing.write(config.landing, dict(files))
        ingest_day(config, "bikes", None, None, lambda text: None)

    ingest(others)
    replay_day(config, "bikes_demand", TOURED - timedelta(days=1))
    entered = stops_of(lambda: ingest([first])) + stops_of(lambda: replay_day(config, "bikes_demand", TOURED))
    assert entered == TOUR


def stops_of(run: Callable[[], object]) -> list:
    """Those of the tour that a run comes to, each where it does first."""
    found = {}

    def note(frame, event: str, _argument: object) -> None:
        stop = STOPS.get((frame.f_code.co_filename, frame.f_code.co_qualname)) if event == "call" else None
        if stop:
            found.setdefault(stop)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return list(found)
