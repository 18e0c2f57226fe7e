"""The tour of docs/flow.md is what runs: these functions, in this order."""

import sys
from collections.abc import Callable
from datetime import timedelta

import pytest

from pipelines.config import Config
from pipelines.runs.ingest_day import ingest_day
from pipelines.runs.replay import replay_day
from tests.support.replay import landing
from tests.support.rules import ROOT
from tools.docs.flow import TOUR

DAY = landing.FIRST_DAY + timedelta(days=2)
STOPS = {(str(ROOT / stop.file), stop.function): stop for stop in TOUR}


@pytest.mark.nightly
def test_the_tour_of_the_docs_is_the_order_in_which_it_runs(tmp_path):
    """A second time: what is loaded or compiled in the first takes minutes while calls are noted."""
    config = Config(tmp_path / "home", tmp_path / "landing")
    first, *others = sorted(landing.trips().items())

    def ingest(files: list[tuple[str, str]]) -> None:
        landing.write(config.landing, dict(files))
        ingest_day(config, "bikes", None, None, lambda text: None)

    ingest(others)
    replay_day(config, "bikes_demand", DAY - timedelta(days=1))
    entered = stops_of(lambda: ingest([first])) + stops_of(lambda: replay_day(config, "bikes_demand", DAY))
    assert entered == list(TOUR)


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
