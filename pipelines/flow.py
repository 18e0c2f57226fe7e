"""The map: which stages there are, what each reads and writes, and which command of which task runs it.

The DAGs (`dags/`), their texts and the docs page are made from it. It imports the standard library
and `schemas` only, so that Airflow's environment, which has no Arrow, Spark or Numba, can read it.

    ingest    land ─▶ bronze ─▶ silver ─▶ ticks ─▶ check_silver                            follows the files
    replay    check_silver ─▶ replay ─▶ gate ─▶ publish                                    follows the logical date

Every stage that a process goes through also gets a row in the ledger, `runs`, and a section in the process's log.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from windrow.schemas.query import Query
from windrow.schemas.registry import queries_of
from windrow.schemas.side_tables import state_name
from windrow.schemas.stream import Stream
from windrow.schemas.validation import OF_OTHER_DAGS

FILES, LOGICAL_DATE, LAKE = "files", "logical date", "lake"
IN_ORDER, BACKFILL, STALE = OF_OTHER_DAGS
"""Behind a stream's name, the names of its other DAGs."""
STATE = state_name("{query}")
REPORT, REPORT_DAG = "report", "windrow_report"
"""What the DAG of the report updates: no table, but the pages of `windrow report`."""
RUNS = "runs"
"""What is updated by runs that update no table that is published: those that failed, and maintenance."""


@dataclass(frozen=True)
class Stage:
    """One part of the flow. Names of tables hold `{stream}` and `{query}`. A table that is both read and written: what
    an earlier run left there. also_reads, also_writes: of queries whose days go on from each other."""

    name: str
    follows: str
    does: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    also_reads: tuple[str, ...] = ()
    also_writes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """One process: its name, the command line of `windrow` and the stages that it runs.

    publishes: tables of which it updates at least one, or else is skipped; may_update: tables that it updates if
    anything is new. of_a_day: whether it is for its run's day, which then is added to the command line.
    """

    name: str
    arguments: tuple[str, ...]
    stages: tuple[Stage, ...]
    publishes: tuple[str, ...] = ()
    may_update: tuple[str, ...] = ()
    of_a_day: bool = True


LAND = Stage(
    "land",
    FILES,
    "finds new, changed and vanished files in the landing folder, and rows that the tables have lost",
    ("landing/", "files_{stream}", "silver_{stream}", "partitions_{stream}"),
    ("files_{stream}",),
)
BRONZE = Stage("bronze", FILES, "keeps the lines of changed files as received", ("landing/",), ("bronze_{stream}",))
SILVER = Stage(
    "silver",
    FILES,
    "parses the lines, refuses bad records and duplicates, and makes each touched arrival day again",
    ("bronze_{stream}", "silver_{stream}", "quarantine_{stream}", "partitions_{stream}"),
    ("silver_{stream}", "quarantine_{stream}", "partitions_{stream}", "files_{stream}"),
)
TICKS = Stage(
    "ticks",
    FILES,
    "notes how the watermark moved, a digest of each arrival day, and what became of each file",
    ("silver_{stream}", "pass_{stream}", "partitions_{stream}"),
    ("pass_{stream}", "partitions_{stream}", "files_{stream}"),
)
CHECK_SILVER = Stage(
    "check_silver",
    LOGICAL_DATE,
    "checks that every record of the files is accounted for, and that the silver to be read is right",
    ("files_{stream}", "silver_{stream}", "quarantine_{stream}", "pass_{stream}", "partitions_{stream}", "verdicts"),
    ("verdicts",),
)
REPLAY = Stage(
    "replay",
    LOGICAL_DATE,
    "runs the day's arrivals through the query's kernel or model, and writes the audit tables",
    ("silver_{stream}",),
    ("{query}_audit", "{query}_late_audit"),
    also_reads=(STATE,),
    also_writes=(STATE,),
)
GATE = Stage(
    "gate",
    LOGICAL_DATE,
    "checks exactly this version of the audit rows, and what the query promises; a failed check stops the run",
    ("{query}_audit", "{query}_late_audit", "silver_{stream}", "pass_{stream}"),
    ("verdicts",),
    also_reads=("{query}",),
)
PUBLISH = Stage(
    "publish",
    LOGICAL_DATE,
    "replaces the day in the late table, then in the results, with the checked version; makes the nowcasts asked for",
    ("{query}_audit", "{query}_late_audit", "verdicts", "partitions_{stream}"),
    ("{query}_late", "{query}"),
)

# Of a feature set, whenever a user asks for it: of no DAG.
FEATURES = Stage(
    "features",
    LAKE,
    "asks the events that had arrived by each label's time, checks drawn labels, and replaces the table of features",
    ("labels", "silver_{stream}", "partitions_{stream}", "{query}"),
    ("verdicts",),
)
# Of no stream, neither this nor the next: not among the stages that data goes through.
MAINTAIN = Stage(
    "maintain",
    LAKE,
    "compacts small files, removes files that no reader and no run needs, and shortens the tables' logs",
)
REPORT_PAGES = Stage("report", LAKE, "makes the pages on streams, queries, runs and tables again")

STAGES = (LAND, BRONZE, SILVER, TICKS, CHECK_SILVER, REPLAY, GATE, PUBLISH)
QUERY_STAGES = (CHECK_SILVER, REPLAY, GATE, PUBLISH)


def scheduled_queries(stream: Stream) -> list[Query]:
    """The stream's queries that the DAG of its name runs: the context-free ones."""
    return [query for query in queries_of(stream.name) if query.context_free]


def queries_in_order(stream: Stream) -> list[Query]:
    """The stream's other queries, which have a DAG of their own: each day goes on from the one before."""
    return [query for query in queries_of(stream.name) if not query.context_free]


def stages_of(stream: Stream) -> tuple[Stage, ...]:
    """The stages that the stream's tasks run: without a query those of its ingest."""
    return STAGES if queries_of(stream.name) else ingest_task(stream).stages


def ingest_task(stream: Stream) -> Task:
    """The first task: brings every arrival day up to date, refuses a day that the stream doesn't have."""
    stages = (LAND, BRONZE, SILVER, TICKS, CHECK_SILVER)
    return Task("ingest", ("ingest", stream.name), stages, may_update=(f"bronze_{stream.name}", silver_name(stream)))


def replay_task(queries: Sequence[Query]) -> Task:
    """Checks the silver that they read, as the run's ingest left it, makes the day's audit rows, checks and publishes
    them: all queries in one pass of one process. One that fails keeps no other from being published."""
    return _of_queries("replay", ("replay", *(query.name for query in queries)), queries)


def own_replay_task(query: Query) -> Task:
    """The same of a query that windrow.toml has a table of."""
    return _of_queries(f"replay_{query.name}", ("replay", query.name), [query])


def backfill_task(queries: Sequence[Query]) -> Task:
    """Makes many days in one pass; which ones of which queries, the params of the run add to the command line."""
    return _of_queries("backfill", ("backfill",), queries, of_a_day=False)


def stale_task(stream: Stream) -> Task:
    """Makes the stale days of all queries again, from the newest ingest."""
    arguments = ("backfill", "--stream", stream.name, "--stale")
    return _of_queries("backfill", arguments, queries_of(stream.name), of_a_day=False)


def _of_queries(name: str, arguments: tuple[str, ...], queries: Sequence[Query], of_a_day: bool = True) -> Task:
    published = tuple(table for query in queries for table in published_tables(query))
    return Task(name, arguments, QUERY_STAGES, published, of_a_day=of_a_day)


def maintenance_task() -> Task:
    return Task("maintain", ("maintain",), (MAINTAIN,), of_a_day=False)


def report_task() -> Task:
    """Makes the pages again. Data Docs take seconds more: they are made when a user asks."""
    return Task("report", ("report", "--no-data-docs"), (REPORT_PAGES,), of_a_day=False)


def silver_name(stream: Stream) -> str:
    """What an ingest updates, and what stale days are made again from."""
    return f"silver_{stream.name}"


def published_tables(query: Query) -> tuple[str, ...]:
    """What readers read: the results and the late table."""
    return (query.name, f"{query.name}_late")


def table_names(stage: Stage, stream: Stream) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tables that a stage reads and writes for a stream and all of its queries."""
    every, alone = queries_of(stream.name), queries_in_order(stream)
    promising = [query for query in every if query.promises] if stage == GATE else []
    reads = _filled(stage.reads, stream, every) + _filled(stage.also_reads, stream, alone)
    writes = _filled(stage.writes, stream, every) + _filled(stage.also_writes, stream, alone)
    reads += tuple(query.name for query in promising if query.name not in reads)  # what earlier days published
    return reads, writes + ("promises",) * bool(promising)


def _filled(patterns: tuple[str, ...], stream: Stream, queries: Sequence[Query]) -> tuple[str, ...]:
    names = []
    for pattern in patterns:
        asked = queries if "{query}" in pattern else [None]
        names += [pattern.format(stream=stream.name, query=query and query.name) for query in asked]
    return tuple(names)
