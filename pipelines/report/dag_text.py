"""What people read about a stream's DAG and its tasks: made from the definitions, standard library only."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from pipelines import flow
from pipelines.report.words import stream_file
from schemas.model import HeavyCall, Model
from schemas.query import Query
from schemas.registry import queries_of
from schemas.spelling import in_words
from schemas.stream import Stream

OF_EVERY_STREAM = """`ingest` follows the files; then `replay` follows the logical date: all queries in one pass. Its
log has the checks of the gate and a line for each query, its XCom and the events of the tables' assets what was
published. A query that fails keeps no other from being published: the task fails and names it, and `report` makes the
events of the others. `report` makes the pages of the lake: their address is in its log and on the event of its asset.
A run's note is its day: Airflow names runs by the end of their interval, a day later. A manual run takes its day from
the logical date or the param `day`, a backfill from its dates alone. A day without rows is skipped, and so is one of
which newer rows passed the gate: their run publishes.
Unpaused, it runs yesterday at once. Airflow runs one backfill per DAG at a time."""


IN_ORDER = """Windows of these queries depend on the events before them: the run of a day goes on from the state that
the newest run before it left, `state_<query>`. So days run one after the other: `depends_on_past`, one active run.
Airflow refuses `--run-backwards` for it: leave that out, and give `--reprocess-behavior`. Where the day before is
missing or is not what silver has now, the task fails and names the command that makes it: `windrow backfill QUERY ...`.
Then clear the run, its ingest too."""
OF_BACKFILL = """Trigger it with the first and the last day, or with `stale`: every day of every query is made from what
the newest ingest left, in one pass, and published if it passes the gate. A day or a query that fails keeps no other
from being published: the task fails and names it. Queries whose days go on from each other can't go `backwards`."""
OF_STALE = """A published day is stale when the events that it read, or the definitions or the code that made it, are
others now: `windrow runs --stale`. The task makes those of all queries again, from what the newest ingest left; it is
skipped where none is. Off until you unpause it: then it runs after each ingest that changed silver."""
OF_MAINTENANCE = """Keeps the tables small, every night. It may run at any time: what runs and readers need stays, it
waits for whoever commits to a table, and with bronze until no ingest of the stream runs. Off until you unpause it."""

OF_REPORT = """The last task of every DAG makes the pages of the lake, also where another task failed. A run's state is
that of the others."""


def page(title: str, *parts: str) -> str:
    return "\n\n".join((f"### {title}", *filter(None, parts)))


def in_order_page(stream: Stream, address: Callable[[str], str]) -> str:
    """Markdown for the page of the DAG of queries whose days depend on each other. address: of a page of the report."""
    link = f"Page of the report: {_link(stream_file(stream.name), address)}"
    return page(f"{stream.title}, in order", IN_ORDER, link, _listed(flow.queries_in_order(stream)))


def dag_page(stream: Stream, address: Callable[[str], str]) -> str:
    """Markdown for the page of a stream's DAG. address: of a page of the report."""
    facts = "\n".join(f"- {name}: {value}" for name, value in _facts(stream, address).items())
    return page(stream.title, OF_EVERY_STREAM, facts, _listed(flow.scheduled_queries(stream)))


def _listed(queries: Sequence[Query]) -> str:
    lines = [f"- `{query.name}`: {describe(query)}" for query in queries]
    return "\n".join(["#### Queries", "", *lines]) if lines else ""


def _link(file: str, address: Callable[[str], str]) -> str:
    return f"[{file}]({address(file)}), made by the last task"


def _facts(stream: Stream, address: Callable[[str], str]) -> dict[str, object]:
    days = f"{stream.first_day} to {stream.last_day}" if stream.last_day else f"{stream.first_day} onwards"
    many = {"many days in one pass": f"`{stream.name}{flow.BACKFILL}`"} if queries_of(stream.name) else {}
    return {
        "days": f"{days}; another day is refused",
        **many,
        "event time": stream.start_meaning,
        "arrival": stream.arrival_meaning,
        "page of the report": _link(stream_file(stream.name), address),
        # Not last: of a text that ends with .md Airflow thinks that it is a file's path.
        "explained in": f"docs/streams/{stream.name}.md",
        "columns": ", ".join(column.name for column in stream.columns),
    }


def task_page(task: flow.Task) -> str:
    """Markdown for a task: its command and its stages."""
    stages = "\n".join(f"- {stage.name}: {stage.does}" for stage in task.stages)
    return f"`{command_line(task)}`\n\n{stages}"


def command_line(task: flow.Task) -> str:
    """What a task runs, as somebody would type it."""
    return " ".join(("windrow", *task.arguments, *(("--day", "DAY") if task.of_a_day else ())))


def flow_page(stream: Stream) -> str:
    """Markdown table of the whole flow of a stream: the docs page."""
    rows = ["| stage | follows | does | reads | writes |", "| --- | --- | --- | --- | --- |"]
    for stage in flow.stages_of(stream):
        reads, writes = (", ".join(f"`{name}`" for name in names) for names in flow.table_names(stage, stream))
        rows.append(f"| {stage.name} | the {stage.follows} | {stage.does} | {reads} | {writes} |")
    return "\n".join(rows)


def describe(query: Query) -> str:
    """One line: aggregates or a model's function, key, window, lateness, emit."""
    window = ", ".join(f"{name} {value}" for name, value in window_words(query))
    return (
        f"{asked(query)} per ({', '.join(query.key)}); {query.window.kind} window: {window}; "
        f"lateness {in_words(query.lateness)}, "
        f"allowed lateness {in_words(query.allowed_lateness)}, emit {query.emit}"
    )


def asked(query: Query) -> str:
    """Aggregates by name, or a model's function."""
    listed = [f"{name} = {a.function}({', '.join(a.columns)})" for name, a in query.aggregates.items()]
    if isinstance(query, Model):
        listed.insert(0, call(query.function))
    return ", ".join(listed)


def window_words(query: Query) -> list[tuple[str, object]]:
    given = [(name, value) for name, value in vars(query.window).items() if value is not None]
    return [(name, in_words(value) if isinstance(value, timedelta) else value) for name, value in given]


def call(function: HeavyCall) -> str:
    given = "".join(f", {name} {value}" for name, value in function.parameters)
    return f"{function.function}({', '.join(function.columns)}{given})"
