"""One DAG per stream: ingest, then each of its queries whose days depend on no other's (the others: queries.py). Made
from `schemas/` and `pipelines/flow.py`."""

import sys
from pathlib import Path

from airflow.sdk import DAG, CronDataIntervalTimetable, Param

# An Airflow into which this folder was mounted knows nothing of the folders next to it.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from dags.tasks import START, defaults, operator
from pipelines import flow
from pipelines.report import dag_text
from schemas.registry import streams
from schemas.stream import Stream


def stream_dag(stream: Stream) -> DAG:
    """ingest ─▶ <query>, for one logical date."""
    with DAG(
        stream.name,
        description=stream.title,
        doc_md=dag_text.dag_page(stream),
        schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
        start_date=START,  # no end_date for the same reason; the first task refuses days not of the stream
        catchup=False,
        max_active_runs=2,
        params={"day": Param(None, type=["null", "string"], format="date", description="beats the logical date")},
        default_args=defaults(),
        tags=["windrow", "stream"],
    ) as dag:
        # A second ingest of the stream would only wait for its lock. A pool would need a hand to make it.
        ingest = operator(flow.ingest_task(stream), max_active_tis_per_dag=1)
        for query in flow.scheduled_queries(stream):
            ingest >> operator(flow.query_task(query))
    return dag


for defined in streams().values():
    stream_dag(defined)
