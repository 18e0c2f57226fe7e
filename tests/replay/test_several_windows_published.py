"""What is published of a query with several windows is what queries of each of them alone publish, from one pass."""

import hashlib
from dataclasses import replace
from datetime import timedelta

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.support.lakes import DAYS
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.expectations import NO_RUN
from windrow.pipelines.lateness.whatif import whatif
from windrow.pipelines.ledger import code_hash
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.sql import statements
from windrow.pipelines.tables import column_lineage
from windrow.schemas import registry
from windrow.schemas.ledger_tables import VERDICTS
from windrow.schemas.query import WINDOW_NAME, Query, agg, rolling, session, sliding, tumbling

HOUR = timedelta(hours=1)
WINDOWS = {"last": rolling(2 * HOUR), "hour": tumbling(HOUR), "day": sliding(24 * HOUR, 6 * HOUR)}
# A standard deviation is rounded as it goes: its days can't be one pass.
AGGREGATES = {"trips": agg("count"), "mean_s": agg("mean", "trip_duration_s"), "std_s": agg("std", "trip_duration_s")}
pytestmark = [pytest.mark.slow, pytest.mark.few_tests(2)]


@pytest.fixture(params=[("trips", "mean_s"), tuple(AGGREGATES)], ids=["exact", "rounded"])
def lake(request, ingested, monkeypatch) -> Config:
    """With one query of all windows, `several`, and one of each alone published, over all days."""
    aggregates = {name: AGGREGATES[name] for name in request.param}
    several = Query("several", "bikes", ("start_station_id",), windows=WINDOWS, aggregates=aggregates, lateness=HOUR,
                    allowed_lateness=2 * HOUR)  # fmt: skip
    made = {name: replace(part, name=name) for name, part in several.parts.items()}
    for name, query in {**made, "several": several}.items():
        monkeypatch.setitem(registry.queries(), name, query)
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    backfill(ingested, ["several", *made], (DAYS[0], DAYS[-1])).require()
    return ingested


def test_tables_and_views_have_the_rows_of_each_window_alone(lake):
    """By one commit a table, and one verdict a day and check."""
    asked_at = f"{DAYS[2]} 14:00:00Z"
    for rows in ("{}", "{}_late", "{}_final", f"{{}}_as_of('{asked_at}')"):
        whole = statements.run(Lake(lake), f"FROM {rows.format('several')} ORDER BY ALL")
        assert whole.num_rows
        for name in WINDOWS:
            alone = statements.run(Lake(lake), f"FROM {rows.format(name)} ORDER BY ALL")
            of_window = whole.filter(pc.equal(whole[WINDOW_NAME], name)).drop_columns([WINDOW_NAME])
            assert list(map(repr, of_window.to_pylist())) == list(map(repr, alone.to_pylist()))

    versions = {name: [Lake(lake).version(name + kind) for kind in ("", "_late")] for name in ("several", *WINDOWS)}
    assert versions["several"] == versions["hour"]
    verdicts = Lake(lake).read(VERDICTS.name)
    found = {name: pc.sum(pc.equal(verdicts["query"], name)).as_py() for name in ("several", "hour")}
    # Of both tables one more: which names of windows there are.
    assert found["several"] == found["hour"] + 2 * len(DAYS)
    assert pc.all(verdicts["passed"]).as_py() and NO_RUN not in verdicts["run_id"].to_pylist()


def test_each_window_has_a_lateness_curve(lake):
    assert [each.window_name for each in whatif(lake, "several")] == [*WINDOWS]
    whole = Lake(lake).read("lateness_several")
    for name in WINDOWS:
        whatif(lake, name)
        alone = Lake(lake).read(f"lateness_{name}").drop_columns(["query"])
        of_window = whole.filter(pc.equal(whole[WINDOW_NAME], name)).select(alone.column_names)
        assert _sorted(of_window).equals(_sorted(alone))


def _sorted(rows: pa.Table) -> pa.Table:
    return rows.sort_by("lateness_seconds").combine_chunks()


def test_the_name_of_a_window_is_made_from_no_column(lake):
    sources = column_lineage.sources({"several": Lake(lake).dataset("several").schema.names})
    named = {place.column: {each.column for each in of} for place, of in sources.items()}
    assert WINDOW_NAME not in named and named["window_start"] == {"start"}


def test_a_query_of_one_window_is_the_question_that_it_was_before_one_could_have_several(monkeypatch):
    query = Query("q", "bikes", (), session(HOUR), {}, HOUR, HOUR)
    gap = "datetime.timedelta(seconds=3600)"
    text = (
        f"Query(name='q', stream='bikes', key=(), window=Session(gap={gap}), aggregates={{}}, lateness={gap}, "
        f"allowed_lateness={gap}, emit='watermark', where=())"
    )
    monkeypatch.setattr(code_hash, "_users", lambda query: [])
    of_files = f"{registry.replay_hash('bikes')} {code_hash._hash_of([])}"
    assert code_hash.question_hash(query) == hashlib.sha256(f"{text} {of_files}".encode()).hexdigest()[:16]
