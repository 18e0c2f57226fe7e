"""One DAG per query whose days depend on each other: ingest, then the query, one day after the other."""

import sys
from pathlib import Path

from airflow.sdk import DAG

# An Airflow into which this folder was mounted knows nothing of the folders next to it.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from dags.report import address
from dags.tasks import add_report, each_day, ingest_operator, operator
from pipelines import flow
from pipelines.report import dag_text
from schemas.query import Query
from schemas.registry import streams
from schemas.stream import Stream


def query_dag(stream: Stream, query: Query) -> DAG:
    """ingest ─▶ <query> ─▶ report, for one logical date, once the day before is done."""
    with DAG(
        query.name,
        description=f"Day after day: {query.name} of {stream.title}",
        doc_md=dag_text.query_page(stream, query, address),
        max_active_runs=1,
        tags=["windrow", "query"],
        **each_day(),
    ) as dag:
        ingest_operator(stream) >> operator(flow.query_task(query), depends_on_past=True)
        add_report(dag)
    return dag


for defined in streams().values():
    for asked in flow.queries_day_by_day(defined):
        query_dag(defined, asked)
