"""One DAG per stream that makes stale days again, once silver has changed. Off until somebody unpauses it."""

import sys
from pathlib import Path

from airflow.sdk import DAG

# An Airflow into which this folder was mounted knows nothing of the folders next to it.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from dags.command import asset
from dags.tasks import START, add_report, defaults, operator
from pipelines import flow
from pipelines.report import dag_text
from schemas.registry import queries_of, streams
from schemas.stream import Stream


def stale_dag(stream: Stream) -> DAG:
    """A task for each query, after an ingest of the stream that changed silver."""
    with DAG(
        f"{stream.name}_stale",
        description=f"Makes stale days again: {stream.title}",
        doc_md=dag_text.stale_page(stream),
        schedule=[asset(flow.silver_name(stream))],
        start_date=START,
        catchup=False,
        max_active_runs=1,
        is_paused_upon_creation=True,
        default_args=defaults(),
        tags=["windrow", "stale"],
    ) as dag:
        for query in queries_of(stream.name):
            operator(flow.stale_task(query))
        add_report(dag)
    return dag


for defined in streams().values():
    if queries_of(defined.name):
        stale_dag(defined)
