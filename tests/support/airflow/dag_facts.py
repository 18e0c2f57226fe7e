"""Run by Airflow's Python: parses dags/ and prints, as JSON, what the rules of test_dag_rules.py look at."""

import json
import sys
from pathlib import Path

from airflow.dag_processing.dagbag import DagBag
from airflow.sdk import AssetAlias


def task_facts(task) -> dict:
    return {
        "id": task.task_id,
        "downstream": sorted(task.downstream_task_ids),
        "arguments": list(getattr(task, "arguments", ())),
        "of_a_day": getattr(task, "of_a_day", None),
        "publishes": getattr(task, "publishes", None),
        "inlets": [inlet.name for inlet in task.inlets],
        "outlets": [outlet.name for outlet in task.outlets],
        "aliases": [outlet.name for outlet in task.outlets if isinstance(outlet, AssetAlias)],
        "retries": task.retries,
        "pool": task.pool,
        "owner": task.owner,
        "told": bool(task.on_failure_callback),
        "timeout_s": task.execution_timeout and task.execution_timeout.total_seconds(),
        "at_once": task.max_active_tis_per_dag,
        "trigger_rule": task.trigger_rule.value,
        "teardown": task.is_teardown,
        "fails_run": task.on_failure_fail_dagrun,
        "operator": type(task).__name__,
        "past": task.depends_on_past,
        "text": task.doc_md,
    }


def dag_facts(dag) -> dict:
    return {
        "id": dag.dag_id,
        "timetable": type(dag.timetable).__name__,
        "cron": getattr(dag.timetable, "expression", None),
        "zone": str(getattr(dag.timetable, "timezone", None)),
        "after": [asset.name for asset in getattr(dag.timetable.asset_condition, "objects", ())],
        "paused": dag.is_paused_upon_creation,
        "runs_at_once": dag.max_active_runs,
        "catchup": dag.catchup,
        "start": dag.start_date.isoformat(),
        "end": dag.end_date,
        "text": dag.doc_md,
        "tags": sorted(dag.tags),
        "late_after_s": next((alert.interval.total_seconds() for alert in dag.deadline or ()), None),
        "params": dict(dag.params.dump()),
        "tasks": [task_facts(task) for task in dag.tasks],
    }


bag = DagBag(sys.argv[1])
facts = {
    "errors": bag.import_errors,
    "modules": sorted(sys.modules),
    "dags": [dag_facts(dag) for dag in bag.dags.values()],
}
Path(sys.argv[2]).write_text(json.dumps(facts))
