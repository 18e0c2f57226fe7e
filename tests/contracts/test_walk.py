"""The walk of docs/flow.md is what runs: these functions, in this order, in few steps, and downward only."""

from datetime import timedelta

import pytest

from pipelines.runs.ingest_day import ingest_day
from pipelines.runs.replay_day import replay_day
from tests.contracts.test_layers import TOP, WINGS
from tests.support.lakes import PATIENT
from tests.support.replay import landing
from tests.support.steps import Function, Step, steps_of
from tools.docs.walk import WALK

pytestmark = PATIENT
DAY = landing.FIRST_DAY + timedelta(days=2)
# What a reader has to follow. A new hop on the way needs a reason that is as good as those of the others.
MOST = {"ingest_day": 48, "replay_day": 41}


@pytest.fixture(scope="module")
def walks(tmp_path_factory) -> dict[str, tuple[list[Step], list[Function]]]:
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
    return {"ingest_day": steps_of(ingest), "replay_day": steps_of(lambda: replay_day(config, "bikes_demand", DAY))}


@pytest.mark.parametrize("run", MOST)
def test_a_walk_takes_few_steps(walks, run):
    steps, _ = walks[run]
    assert len(steps) <= MOST[run], "\n".join(map(str, steps))


@pytest.mark.parametrize("run", MOST)
def test_no_step_climbs(walks, run):
    steps, _ = walks[run]
    assert [step for step in steps if not goes_down(step)] == []


def goes_down(step: Step) -> bool:
    caller, callee = (wing_of(each) for each in (step.caller, step.callee))
    return callee in {caller, *WINGS.get(caller, ())} or callee in TOP or step.callee.file.startswith("schemas/")


def wing_of(function: Function) -> str:
    parts = function.file.removesuffix(".py").split("/")
    return parts[1]


@pytest.mark.parametrize("run", MOST)
def test_the_walk_of_the_docs_is_the_order_in_which_it_runs(walks, run):
    _, entered = walks[run]
    named = [Function(step.file, step.function) for step in WALK]
    began = next(place for place, function in enumerate(named) if function.name == run)
    ours = named[began : began + 5]
    assert [function for function in entered if function in ours] == ours
