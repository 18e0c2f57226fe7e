"""The tour of docs/flow.md is what runs: these functions, in this order, in few hops, and downward only."""

from datetime import timedelta

import pytest

from pipelines.runs.ingest_day import ingest_day
from pipelines.runs.replay_day import replay_day
from tests.contracts.test_layers import TOP, WINGS
from tests.support.hops import Function, Hop, hops_of
from tests.support.lakes import PATIENT
from tests.support.replay import landing
from tools.docs.tour import TOUR

pytestmark = PATIENT
DAY = landing.FIRST_DAY + timedelta(days=2)
# What a reader has to follow. A new hop on the way needs a reason that is as good as those of the others.
# Snapshots brought the snapshot and the arrival days that a run reads; definitions are checked in a
# file of their own. An ingest looks for lost rows first, decides
# about equal files in a file of their own, and goes in batches. What a step does with verdicts, and the page of a
# validation result, are 2 and 4. Each log is asked for an entry without bytes, which delta-rs would take for a commit
# of nothing, and those of the stream whether they are as long as the ingest before left them. What an ingest found is
# compared with what was checked last. Which version brought a table's rows, and not maintenance, its log says (2).
# Which column of a log's files holds the days stands once, for lake and statistics (1).
# Engines: stages ask theirs for work on shares, for relations and for progress, and say which files (16 and 14); the
# gate is an object, its laws are found on shares of keys, and its rows come as a frame (7). Which events a task takes
# is decided in a file of its own (5), which a plan asks that is made without running it (1). Which arrival days a run
# reads, its look-back says (1). Where a file is, and how it is listed and opened there, is in one file: what went to a
# library's function went to one of storage.py then (21 and 11).
MOST = {"ingest_day": 133, "replay_day": 108}


@pytest.fixture(scope="module")
def followed(tmp_path_factory) -> dict[str, tuple[list[Hop], list[Function]]]:
    """One more landing file, and one more day, where an ingest and a run have made all tables before."""
    from pipelines.config import Config

    config = Config(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("landing"))
    first, *others, last = sorted(landing.trips().items())

    def ingest() -> None:
        ingest_day(config, "bikes", None, None, lambda text: None)

    landing.write(config.landing, dict([first, *others]))
    ingest()
    replay_day(config, "bikes_demand", DAY - timedelta(days=1))
    landing.write(config.landing, dict([last]))
    return {"ingest_day": hops_of(ingest), "replay_day": hops_of(lambda: replay_day(config, "bikes_demand", DAY))}


@pytest.mark.parametrize("run", MOST)
def test_a_run_takes_few_hops(followed, run):
    hops, _ = followed[run]
    assert len(hops) <= MOST[run], "\n".join(map(str, hops))


@pytest.mark.parametrize("run", MOST)
def test_no_hop_climbs(followed, run):
    hops, _ = followed[run]
    assert [hop for hop in hops if not goes_down(hop)] == []


def goes_down(hop: Hop) -> bool:
    caller, callee = (wing_of(each) for each in (hop.caller, hop.callee))
    if callee == "engines":  # by what an engine is (lake/engine.py)
        return caller in WINGS and "lake" in WINGS[caller]
    return callee in {caller, *WINGS.get(caller, ())} or callee in TOP or hop.callee.file.startswith("schemas/")


def wing_of(function: Function) -> str:
    parts = function.file.removesuffix(".py").split("/")
    return parts[1]


@pytest.mark.parametrize("run", MOST)
def test_the_tour_of_the_docs_is_the_order_in_which_it_runs(followed, run):
    _, entered = followed[run]
    named = [Function(stop.file, stop.function) for stop in TOUR]
    began = next(place for place, function in enumerate(named) if function.name == run)
    ours = named[began : began + 5]
    assert [function for function in entered if function in ours] == ours
