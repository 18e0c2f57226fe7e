"""The DAGs of each stream, made from its definitions, `pipelines/flow.py` and windrow.toml:

<stream>           ingest ─▶ replay     a day of the queries whose days depend on no other's
<stream>_in_order  ingest ─▶ replay     a day of the others, once the day before is done
<stream>_backfill  backfill             many days in one pass, when a user asks for them
<stream>_stale     backfill             stale days, after an ingest that changed silver; off at first
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from airflow.sdk import DAG

from windrow.airflow import installation
from windrow.airflow.command import asset
from windrow.airflow.operators import BackfillOperator, address, params
from windrow.airflow.tasks import Shared, add_after_failure, common, each_day, ingest_operator, operator
from windrow.pipelines import flow
from windrow.pipelines.report import dag_text
from windrow.schemas import dag_settings
from windrow.schemas.dag_settings import DagSettings
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import Query
from windrow.schemas.registry import queries_of, streams
from windrow.schemas.stream import Stream


class Said(NamedTuple):
    """What windrow.toml says of a stream. shared: what all of its DAGs have; each_day: those that run for a day;
    of_tasks: the arguments of the task of each query that has its own, by its name."""

    settings: DagSettings
    shared: Shared
    each_day: dict[str, Any]
    tags: Sequence[str]
    of_tasks: dict[str, dict[str, Any]]

    @classmethod
    def of(cls, stream: Stream, conn_id: str | None = None) -> "Said":
        """WrongParameter for what is no such setting; before a DAG is made, since Airflow takes one that is half
        made."""
        said = dag_settings.of_stream(stream.name)
        own = filter(dag_settings.has_own_task, queries_of(stream.name))
        of_tasks = {query.name: installation.of_tasks(dag_settings.of_query(query)) for query in own}
        return cls(said, common(conn_id, said), each_day(said), said["tags"] or (), of_tasks)

    def of_a_day(self, queries: Sequence[Query]) -> dict[str, Any]:
        """What a DAG has that runs these queries for a day."""
        return self.each_day | installation.of_runs(self.settings, queries)


def stream_dag(stream: Stream, queries: Sequence[Query], said: Said) -> DAG:
    """For one logical date, in any order."""
    text = dag_text.dag_page(stream, address)
    with dag(stream, "", stream.title, text, said, max_active_runs=2, **said.of_a_day(queries)) as made:
        add_tasks_of_a_day(made, stream, queries, said)
    return made


def in_order_dag(stream: Stream, queries: Sequence[Query], said: Said) -> DAG:
    """For one logical date, once the day before is done."""
    title, text = f"Day after day: {stream.title}", dag_text.in_order_page(stream, address)
    with dag(stream, flow.IN_ORDER, title, text, said, **said.of_a_day(queries)) as made:
        add_tasks_of_a_day(made, stream, queries, said, depends_on_past=True)
    return made


def add_tasks_of_a_day(dag: DAG, stream: Stream, queries: Sequence[Query], said: Said, **more: Any) -> None:
    """An ingest, then one task of all queries, but for those that have their own. No more of each at once than the DAG
    has runs: Airflow's backfills have a limit of their own, and do not share that."""
    together = [query for query in queries if query.name not in said.of_tasks]
    tasks: dict[flow.Task, dict[str, Any]] = {flow.replay_task(together): {}} if together else {}
    tasks |= {flow.own_replay_task(query): said.of_tasks[query.name] for query in queries if query not in together}
    more["max_active_tis_per_dag"] = dag.max_active_runs
    replays = [operator(task, **more, **of_task) for task, of_task in tasks.items()]
    ingest = ingest_operator(stream)
    ingest >> replays
    for last in replays or [ingest]:
        add_after_failure(last)


def backfill_dag(stream: Stream, queries: Sequence[Query], said: Said) -> DAG:
    """For a user who triggers it: not paused, since nothing else does."""
    title = f"Many days in one pass: {stream.title}"
    text = dag_text.page(f"Many days of {stream.title}", dag_text.text("backfill"))
    asked: dict[str, Any] = {"schedule": None, "params": params(queries), "is_paused_upon_creation": False}
    with dag(stream, flow.BACKFILL, title, text, said, **asked) as made:
        add_after_failure(operator(flow.backfill_task(queries), BackfillOperator))
    return made


def stale_dag(stream: Stream, queries: Sequence[Query], said: Said) -> DAG:
    """For users who want that without being asked: apart from the DAG above, since a DAG has one switch."""
    title = f"Replays stale days: {stream.title}"
    text = dag_text.page(f"Stale days of {stream.title}", dag_text.text("stale"))
    asked: dict[str, Any] = {"schedule": [asset(flow.silver_name(stream))], "is_paused_upon_creation": True}
    with dag(stream, flow.STALE, title, text, said, **asked) as made:
        add_after_failure(operator(flow.stale_task(stream)))
    return made


def dag(stream: Stream, behind: str, title: str, text: str, said: Said, max_active_runs: int = 1, **more: Any) -> DAG:
    """One of a stream's; `behind` its name."""
    tags = ["windrow", behind.strip("_").replace("_", " ") or "stream", stream.name, *said.tags]
    described = {"description": title, "doc_md": text, "tags": tags}
    return DAG(stream.name + behind, max_active_runs=max_active_runs, **described, **{**said.shared, **more})


def dags(conn_id: str | None) -> Iterator[DAG]:
    """Those of every stream of which windrow.toml says nothing wrong."""
    for defined in streams().values():
        with suppress(WrongParameter):
            yield from _dags_of(defined, Said.of(defined, conn_id))


def wrong() -> Iterator[WrongParameter]:
    """What is wrong about the other streams, of which only Airflow can tell: schedules, and what it can't import."""
    for defined in streams().values():
        try:
            Said.of(defined)
        except WrongParameter as error:
            yield error


def _dags_of(stream: Stream, said: Said) -> Iterator[DAG]:
    yield stream_dag(stream, flow.scheduled_queries(stream), said)
    if in_order := flow.queries_in_order(stream):
        yield in_order_dag(stream, in_order, said)
    if every := queries_of(stream.name):
        yield backfill_dag(stream, every, said)
        yield stale_dag(stream, every, said)
