"""The DAG of the report: it runs after what updates a table that the pages show, so that many runs that end while it
runs are followed by one report."""

from airflow.sdk import DAG, AssetAny

from windrow.airflow.command import asset
from windrow.airflow.operators import ReportOperator
from windrow.airflow.tasks import Shared, operator
from windrow.pipelines import flow
from windrow.pipelines.report import dag_text
from windrow.schemas.registry import queries, queries_of, streams


def dag(shared: Shared) -> DAG:
    """The report's; shared: what all DAGs have (tasks.py). Not paused: it runs only after others."""
    tables = [table for query in queries().values() for table in flow.published_tables(query)]
    # Of a stream with queries they come right after its silver, and would be followed by a second report.
    tables += [flow.silver_name(stream) for stream in streams().values() if not queries_of(stream.name)]
    described = {
        "description": "Makes the pages of the report again",
        "doc_md": dag_text.page("Report", dag_text.text("report")),
        "tags": ["windrow", "report"],
        "is_paused_upon_creation": False,
    }
    schedule = AssetAny(*map(asset, (flow.RUNS, *tables)))
    with DAG(flow.REPORT_DAG, schedule=schedule, max_active_runs=1, **described, **shared) as made:
        operator(flow.report_task(), ReportOperator, outlets=[asset(flow.REPORT)])
    return made
