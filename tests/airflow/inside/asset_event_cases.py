"""What the operators make known of published tables: events of assets, XComs, a skipped task."""

import json
from types import SimpleNamespace

import pytest
from airflow.sdk import DAG, AssetAlias
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException
from airflow.sdk.execution_time.context import OutletEventAccessors

from tests.support.airflow.operators import RUN, program
from windrow.airflow import command, installation, operators, tasks
from windrow.schemas import errors

UPDATE = {"day": "2018-10-01", "rows": 12, "revisions": 2, "checks": 9, "verdict": "passed", "version": 3}


def publishing(monkeypatch, path, *outlets, publishes=False):
    monkeypatch.setenv(installation.COMMAND, str(path))
    words = ("replay", "bikes_demand")
    return command.WindrowOperator(task_id="publish", arguments=words, outlets=outlets, publishes=publishes)


def publishing_events(folder, asset_events, exit_code=0):
    """A stand-in that writes what windrow --asset-events would."""
    file = "sys.argv[sys.argv.index('--asset-events') + 1]"
    written = f"with open({file}, 'w') as out: out.write({json.dumps(asset_events)!r})"
    return program(folder, f"import sys\n{written}\nsys.exit({exit_code})")


def test_the_events_of_assets_carry_day_rows_verdict_and_version(monkeypatch, tmp_path):
    tables = [AssetAlias(name) for name in ("bikes_demand", "bikes_demand_late", "bikes_daily")]
    asset_events = {"bikes_demand": UPDATE, "bikes_demand_late": {**UPDATE, "rows": 0, "version": 2}}
    events = OutletEventAccessors()
    task = publishing(monkeypatch, publishing_events(tmp_path, asset_events), *tables, publishes=True)
    assert task.execute({**RUN, "outlet_events": events}) == asset_events
    assert noted(events, *tables) == asset_events, "none of the table of which nothing is new"


def noted(events, *aliases):
    """By table, the one event of it."""
    found = [(event.dest_asset_key.name, event.extra) for each in aliases for event in events[each].asset_alias_events]
    assert len(found) == len(dict(found))
    return dict(found)


def test_a_notifier_learns_of_broken_promises_and_fails_no_task(monkeypatch, tmp_path):
    verdicts = {"complete": "warn", "final trips": "kept", "final bikes": "still broken"}
    of_promise = {"day": "2018-10-01", "measured": 0.5, "allowed": "at least 0.9"}
    judged = [{"promise": name, **of_promise, "verdict": verdict} for name, verdict in verdicts.items()]
    of_day, alias, told = {**UPDATE, "promises": judged}, AssetAlias("bikes_demand"), []
    for asset_events in ({"bikes_demand": of_day}, {"bikes_demand": {"days": [of_day]}}):
        task = publishing(monkeypatch, publishing_events(tmp_path, asset_events), alias, publishes=True)
        task.on_broken_promise = lambda context: told.append(context["exception"]) or 1 / 0
        events = OutletEventAccessors()
        task.execute({**RUN, "outlet_events": events})
        assert noted(events, alias) == asset_events
    line = "bikes_demand of 2018-10-01: complete of 2018-10-01: 0.5, promised: at least 0.9"
    assert told == [line, line]


class Instance:
    """A task's view of its run's XComs."""

    dag_id, run_id = "bikes", "manual__1"

    def __init__(self):
        self.held = {}

    def xcom_push(self, key, value):
        self.held[key] = value

    def xcom_pull(self, task_ids, key):
        return self.held.get(key) if task_ids == "publish" else None

    def delete(self, key, *, task_id, dag_id, run_id):
        assert (task_id, dag_id, run_id) == ("publish", self.dag_id, self.run_id)
        del self.held[key]


def test_what_a_task_published_before_it_failed_is_an_event_by_the_one_behind_it_once_however_often_that_runs(
    monkeypatch, tmp_path
):
    table, instance = AssetAlias("bikes_demand"), Instance()
    failing = publishing_events(tmp_path, {table.name: UPDATE}, errors.GateFailed.exit_code)
    with DAG("bikes", schedule=None) as dag:
        failed = publishing(monkeypatch, failing, table, publishes=True)
        tasks.add_after_failure(failed)
    last = dag.get_task("publish_failed")
    with pytest.raises(AirflowFailException):
        failed.execute({**RUN, "ti": instance})
    monkeypatch.setattr(operators, "XCom", instance)
    for expected in ({table.name: UPDATE}, {}):
        events = OutletEventAccessors()
        last.execute({**RUN, "ti": instance, "outlet_events": events})
        assert noted(events, table) == expected


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"from": "2018-10-01", "to": "2018-10-03"}, ["a", "b", "--from", "2018-10-01", "--to", "2018-10-03"]),
        ({"from": "2018-10-01", "to": "2018-10-03", "backwards": True, "queries": ["b"]},
         ["b", "--from", "2018-10-01", "--to", "2018-10-03", "--backwards"]),
        ({"stale": True}, ["a", "b", "--stale"]),
    ],
)  # fmt: skip
def test_many_days_are_those_of_the_params(asked, words):
    found = operators.params([SimpleNamespace(name="a"), SimpleNamespace(name="b")])
    task = operators.BackfillOperator(task_id="backfill", arguments=("backfill",), of_a_day=False)
    params = {name: param.value for name, param in found.items()} | asked
    assert task.words({"params": params}) == ["backfill", *words]


def test_a_task_that_published_nothing_is_skipped(monkeypatch, tmp_path):
    task = publishing(monkeypatch, publishing_events(tmp_path, {}), AssetAlias("bikes_demand"), publishes=True)
    with pytest.raises(AirflowSkipException, match="nothing to publish"):
        task.execute({**RUN, "outlet_events": OutletEventAccessors()})


def test_of_several_days_of_which_another_run_publishes_some_the_others_have_their_event(monkeypatch, tmp_path):
    results, events = AssetAlias("bikes_demand"), OutletEventAccessors()
    program_of_days = publishing_events(tmp_path, {results.name: {"days": [UPDATE]}}, errors.Superseded.exit_code)
    publishing(monkeypatch, program_of_days, results, publishes=True).execute({**RUN, "outlet_events": events})
    assert noted(events, results) == {results.name: {"days": [UPDATE]}}


def test_an_ingest_that_changed_silver_is_an_event_of_it_and_another_is_a_success_without(monkeypatch, tmp_path):
    silver, events = AssetAlias("silver_bikes"), OutletEventAccessors()
    changed = publishing_events(tmp_path, {silver.name: UPDATE})
    publishing(monkeypatch, changed, silver).execute({**RUN, "outlet_events": events})
    [event] = events[silver].asset_alias_events
    assert (event.dest_asset_key.name, event.extra) == ("silver_bikes", UPDATE)
    assert event.dest_asset_key.uri == command.asset("silver_bikes").uri
    without = OutletEventAccessors()
    publishing(monkeypatch, publishing_events(tmp_path, {}), silver).execute({**RUN, "outlet_events": without})
    assert without[silver].asset_alias_events == []
