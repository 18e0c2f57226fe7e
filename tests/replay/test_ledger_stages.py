"""The ledger has a row for each stage of the flow map that a step went through."""

from datetime import timedelta

import pyarrow as pa
import pytest

from tests.support.lakes import DAYS, PATIENT, silent
from tests.support.replay import landing
from windrow.pipelines import flow
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.pipelines.runs.ingest_day import ingest_day
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed
from windrow.schemas.ledger_tables import RUNS

DAY, QUERY = DAYS[2], "bikes_demand"
pytestmark = PATIENT


def stages(config, run_id: str, step: str) -> list[ledger.StepRow]:
    filters = [("run_id", "=", run_id), ("step", "=", step)]
    return [row for row in ledger.rows(Lake(config), filters, stages=True) if row.stage is not None]


def states(config, run_id: str, step: str) -> list[tuple[str, str]]:
    return [(row.stage, row.state) for row in stages(config, run_id, step)]


def done(*of_map: flow.Stage) -> list[tuple[str, str]]:
    return [(stage.name, "done") for stage in of_map]


def spoil(config) -> dict:
    """A later version of the audit table, in which a row counts one event too many."""
    table = QueryTables.of(registry.query(QUERY)).audit
    rows = Lake(config).read(table.name, filters=[("emitted_date", "=", DAY)]).to_pylist()
    rows[0]["events"] += 1
    changed = pa.Table.from_pylist(rows, arrow_schema(table))
    return {"audit": Lake(config).replace(table, {"emitted_date": [DAY]}, changed)}


@pytest.mark.slow
def test_an_ingest_of_a_new_file_goes_through_all_of_its_stages(ingested):
    landing.write(ingested.landing, landing.late_file())
    heard = []
    ingest_day(ingested, "bikes", DAY, "more", heard.append)
    of_task = flow.ingest_task(registry.stream("bikes")).stages
    assert states(ingested, "more", "ingest") == done(*of_task)
    assert all(row.seconds >= 0 for row in stages(ingested, "more", "ingest"))
    assert [text for text in heard if ":" not in text] == [stage.name for stage in of_task]


def test_an_ingest_with_nothing_to_do_only_looks(ingested):
    ingest_day(ingested, "bikes", None, "nothing", silent)
    assert states(ingested, "nothing", "ingest") == done(flow.LAND, flow.TICKS, flow.CHECK_SILVER)


@pytest.mark.nightly
def test_the_steps_of_a_replay_go_through_the_stages_of_their_tasks(ingested):
    replay_day(ingested, QUERY, DAY, run_id="replayed")
    query = registry.query(QUERY)
    steps = {"audit": flow.QUERY_STAGES[:2], "publish": flow.QUERY_STAGES[2:]}
    assert flow.replay_task([query]).stages == (*steps["audit"], *steps["publish"])
    for step, of_step in steps.items():
        rows = stages(ingested, "replayed", step)
        (whole,) = ledger.rows(
            Lake(ingested), [("run_id", "=", "replayed"), ("step", "=", step), ("state", "=", "done")]
        )
        assert states(ingested, "replayed", step) == done(*of_step)
        assert 0 <= sum(row.seconds for row in rows) <= whole.seconds
        assert {row.at for row in rows} == {whole.at} and whole.stage is None


@pytest.mark.slow
def test_a_refused_gate_is_the_stage_that_was_refused(ingested):
    replay_day(ingested, QUERY, DAY, stage="audit", run_id="right")
    right = ledger.latest(Lake(ingested), QUERY, DAY, "audit", "right")
    with ledger.step(Lake(ingested), Run("spoilt", "bikes", QUERY, DAY), "audit") as entry:
        entry.inputs, entry.outputs = right.inputs, right.outputs | spoil(ingested)
    with pytest.raises(GateFailed):
        replay_day(ingested, QUERY, DAY, stage="publish", run_id="spoilt")
    (gate,) = stages(ingested, "spoilt", "publish")
    assert (gate.stage, gate.state) == ("gate", "refused") and gate.message.startswith("GateFailed")


def tried(config, *texts: str, fails: bool = False) -> None:
    """A step that goes through these stages."""
    with ledger.step(Lake(config), Run("a run", "bikes"), "ingest") as entry:
        say = entry.stages.following(silent)
        for text in texts:
            say(text)
        if fails:
            raise OSError("no light")


def test_the_rows_of_a_steps_end_are_one_commit_of_one_row_a_stage_and_only_the_last_failed(config):
    """Also where a step comes back to a stage."""
    with pytest.raises(OSError):
        tried(config, "land", "bronze", "bronze: 1 file(s)", "land", fails=True)
    assert Lake(config).version(RUNS.name) == 1
    assert states(config, "a run", "ingest") == [("land", "failed"), ("bronze", "done")]
    assert [row.message for row in stages(config, "a run", "ingest")] == ["OSError: no light", None]
    assert [row.state for row in ledger.rows(Lake(config))] == ["failed"]


def test_rows_of_stages_are_never_taken_for_the_step(config):
    with ledger.step(Lake(config), Run("a run", "bikes", QUERY, DAY), "audit") as entry:
        entry.stages.following(silent)("replay")
        entry.outputs = {"audit": 7}
    assert ledger.latest(Lake(config), QUERY, DAY, "audit").outputs == {"audit": 7}
    assert ledger.latest(Lake(config), QUERY, DAY + timedelta(days=1), "audit") is None


def test_the_list_of_runs_has_stages_where_they_are_asked_for_and_of_the_newest_try(config, run):
    with pytest.raises(OSError):
        tried(config, "land", "bronze", "silver", fails=True)
    tried(config, "land", "ticks")
    for words, listed in (((), []), (("--stages",), [("land", "done"), ("ticks", "done")])):
        found = run(config, "runs", *words, "--json").json
        assert [(row["stage"], row["state"]) for row in found] == [*listed, (None, "done")]
        assert ("ticks" in run(config, "runs", *words).out) == bool(words)
