"""The DAGs of each stream, made from `schemas/` and `pipelines/flow.py`:

<stream>           ingest ─▶ replay ─▶ report     a day of the queries whose days depend on no other's
<stream>_in_order  ingest ─▶ replay ─▶ report     a day of the others, once the day before is done
<stream>_backfill  backfill ─▶ report             many days in one pass, when somebody asks for them
<stream>_stale     backfill ─▶ report             stale days, after an ingest that changed silver; off at first
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from airflow.sdk import DAG

# An Airflow into which this folder was mounted knows nothing of the folders next to it.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from dags.backfill import BackfillOperator, params
from dags.command import asset
from dags.report import address
from dags.tasks import add_report, common, each_day, ingest_operator, operator
from pipelines import flow
from pipelines.report import dag_text
from schemas.query import Query
from schemas.registry import queries_of, streams
from schemas.stream import Stream


def stream_dag(stream: Stream, queries: Sequence[Query]) -> DAG:
    """For one logical date, in any order."""
    with DAG(
        stream.name,
        description=stream.title,
        doc_md=dag_text.dag_page(stream, address),
        max_active_runs=2,
        tags=["windrow", "stream"],
        **each_day(),
    ) as dag:
        ingest = ingest_operator(stream)
        if queries:
            ingest >> operator(flow.replay_task(queries))
        add_report(dag, queries)
    return dag


def in_order_dag(stream: Stream, queries: Sequence[Query]) -> DAG:
    """For one logical date, once the day before is done."""
    with DAG(
        stream.name + flow.IN_ORDER,
        description=f"Day after day: {stream.title}",
        doc_md=dag_text.in_order_page(stream, address),
        max_active_runs=1,
        tags=["windrow", "in order"],
        **each_day(),
    ) as dag:
        ingest_operator(stream) >> operator(flow.replay_task(queries), depends_on_past=True)
        add_report(dag, queries)
    return dag


def backfill_dag(stream: Stream, queries: Sequence[Query]) -> DAG:
    """For whoever triggers it: not paused, since nothing else does."""
    with DAG(
        stream.name + flow.BACKFILL,
        description=f"Many days in one pass: {stream.title}",
        doc_md=dag_text.backfill_page(stream),
        schedule=None,
        max_active_runs=1,
        is_paused_upon_creation=False,
        params=params(queries),
        tags=["windrow", "backfill"],
        **common(),
    ) as dag:
        operator(flow.backfill_task(queries), BackfillOperator)
        add_report(dag, queries)
    return dag


def stale_dag(stream: Stream, queries: Sequence[Query]) -> DAG:
    """For whoever wants that without being asked: apart from the DAG above, since a DAG has one switch."""
    with DAG(
        stream.name + flow.STALE,
        description=f"Makes stale days again: {stream.title}",
        doc_md=dag_text.stale_page(stream),
        schedule=[asset(flow.silver_name(stream))],
        max_active_runs=1,
        is_paused_upon_creation=True,
        tags=["windrow", "stale"],
        **common(),
    ) as dag:
        operator(flow.stale_task(stream))
        add_report(dag, queries)
    return dag


for defined in streams().values():
    stream_dag(defined, flow.scheduled_queries(defined))
    if in_order := flow.queries_in_order(defined):
        in_order_dag(defined, in_order)
    if every := queries_of(defined.name):
        backfill_dag(defined, every)
        stale_dag(defined, every)
