"""The DAGs of each stream, made from its definitions and `pipelines/flow.py`:

<stream>           ingest ─▶ replay ─▶ report     a day of the queries whose days depend on no other's
<stream>_in_order  ingest ─▶ replay ─▶ report     a day of the others, once the day before is done
<stream>_backfill  backfill ─▶ report             many days in one pass, when a user asks for them
<stream>_stale     backfill ─▶ report             stale days, after an ingest that changed silver; off at first
"""

from collections.abc import Iterator, Sequence
from typing import Any

from airflow.sdk import DAG

from windrow.airflow.command import asset
from windrow.airflow.operators import BackfillOperator, address, params
from windrow.airflow.tasks import Shared, add_report, each_day, ingest_operator, operator
from windrow.pipelines import flow
from windrow.pipelines.report import dag_text
from windrow.schemas.query import Query
from windrow.schemas.registry import queries_of, streams
from windrow.schemas.stream import Stream


def stream_dag(stream: Stream, queries: Sequence[Query], shared: Shared) -> DAG:
    """For one logical date, in any order."""
    text = dag_text.dag_page(stream, address)
    with dag(stream, "", stream.title, text, max_active_runs=2, **shared, **each_day()) as made:
        ingest = ingest_operator(stream)
        if queries:
            ingest >> operator(flow.replay_task(queries))
        add_report(made, queries)
    return made


def in_order_dag(stream: Stream, queries: Sequence[Query], shared: Shared) -> DAG:
    """For one logical date, once the day before is done."""
    title, text = f"Day after day: {stream.title}", dag_text.in_order_page(stream, address)
    with dag(stream, flow.IN_ORDER, title, text, **shared, **each_day()) as made:
        ingest_operator(stream) >> operator(flow.replay_task(queries), depends_on_past=True)
        add_report(made, queries)
    return made


def backfill_dag(stream: Stream, queries: Sequence[Query], shared: Shared) -> DAG:
    """For a user who triggers it: not paused, since nothing else does."""
    title = f"Many days in one pass: {stream.title}"
    text = dag_text.page(f"Many days of {stream.title}", dag_text.text("backfill"))
    asked: dict[str, Any] = {"schedule": None, "params": params(queries), "is_paused_upon_creation": False}
    with dag(stream, flow.BACKFILL, title, text, **shared, **asked) as made:
        operator(flow.backfill_task(queries), BackfillOperator)
        add_report(made, queries)
    return made


def stale_dag(stream: Stream, queries: Sequence[Query], shared: Shared) -> DAG:
    """For users who want that without being asked: apart from the DAG above, since a DAG has one switch."""
    title = f"Replays stale days: {stream.title}"
    text = dag_text.page(f"Stale days of {stream.title}", dag_text.text("stale"))
    asked: dict[str, Any] = {"schedule": [asset(flow.silver_name(stream))], "is_paused_upon_creation": True}
    with dag(stream, flow.STALE, title, text, **shared, **asked) as made:
        operator(flow.stale_task(stream))
        add_report(made, queries)
    return made


def dag(stream: Stream, behind: str, title: str, text: str, max_active_runs: int = 1, **more: Any) -> DAG:
    """One of a stream's; `behind` its name."""
    tags = ["windrow", behind.strip("_").replace("_", " ") or "stream"]
    described = {"description": title, "doc_md": text, "tags": tags}
    return DAG(stream.name + behind, max_active_runs=max_active_runs, **described, **more)


def dags(shared: Shared) -> Iterator[DAG]:
    """Those of every stream; shared: what all DAGs have (tasks.py)."""
    for defined in streams().values():
        yield stream_dag(defined, flow.scheduled_queries(defined), shared)
        if in_order := flow.queries_in_order(defined):
            yield in_order_dag(defined, in_order, shared)
        if every := queries_of(defined.name):
            yield backfill_dag(defined, every, shared)
            yield stale_dag(defined, every, shared)
