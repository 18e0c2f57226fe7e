"""One DAG per query whose days depend on each other: ingest, then the query, one day after the other."""

import sys
from pathlib import Path

from airflow.sdk import DAG, CronDataIntervalTimetable, Param

# An Airflow into which this folder was mounted knows nothing of the folders next to it.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from dags.tasks import START, defaults, operator
from pipelines import flow
from pipelines.report import dag_text
from schemas.query import Query
from schemas.registry import streams
from schemas.stream import Stream


def query_dag(stream: Stream, query: Query) -> DAG:
    """ingest ─▶ <query>, for one logical date, once the day before is done."""
    with DAG(
        query.name,
        description=f"Day after day: {query.name} of {stream.title}",
        doc_md=dag_text.query_page(stream, query),
        schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
        start_date=START,
        catchup=False,
        max_active_runs=1,
        params={"day": Param(None, type=["null", "string"], format="date", description="beats the logical date")},
        default_args=defaults(),
        tags=["windrow", "query"],
    ) as dag:
        ingest = operator(flow.ingest_task(stream), max_active_tis_per_dag=1)
        ingest >> operator(flow.query_task(query), depends_on_past=True)
    return dag


for defined in streams().values():
    for asked in flow.queries_day_by_day(defined):
        query_dag(defined, asked)
