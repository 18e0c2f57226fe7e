"""One DAG per stream: ingest, then each of its queries whose days depend on no other's (the others: queries.py). Made
from `schemas/` and `pipelines/flow.py`."""

import sys
from pathlib import Path

from airflow.sdk import DAG

# An Airflow into which this folder was mounted knows nothing of the folders next to it.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from dags.report import address
from dags.tasks import add_report, each_day, ingest_operator, operator
from pipelines import flow
from pipelines.report import dag_text
from schemas.registry import streams
from schemas.stream import Stream


def stream_dag(stream: Stream) -> DAG:
    """ingest ─▶ <query> ─▶ report, for one logical date."""
    with DAG(
        stream.name,
        description=stream.title,
        doc_md=dag_text.dag_page(stream, address),
        max_active_runs=2,
        tags=["windrow", "stream"],
        **each_day(),
    ) as dag:
        ingest = ingest_operator(stream)
        for query in flow.scheduled_queries(stream):
            ingest >> operator(flow.query_task(query))
        add_report(dag)
    return dag


for defined in streams().values():
    stream_dag(defined)
