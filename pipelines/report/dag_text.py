"""What people read about a stream's DAG and its tasks: made from the definitions, standard library only."""

from collections.abc import Callable, Sequence
from pathlib import Path

from windrow.pipelines import flow
from windrow.pipelines.report.words import stream_file
from windrow.schemas.model import HeavyCall, Model
from windrow.schemas.query import Query
from windrow.schemas.registry import queries_of
from windrow.schemas.spelling import in_words
from windrow.schemas.stream import Stream

TEXTS = Path(__file__).parent / "templates" / "dags"


def text(name: str) -> str:
    """What is said of all DAGs of a kind."""
    return (TEXTS / f"{name}.md").read_text().rstrip()


def page(title: str, *parts: str) -> str:
    return "\n\n".join((f"### {title}", *filter(None, parts)))


def in_order_page(stream: Stream, address: Callable[[str], str]) -> str:
    """Markdown for the page of the DAG of queries whose days depend on each other. address: of a page of the report."""
    link = f"Page of the report: {_link(stream_file(stream.name), address)}"
    return page(f"{stream.title}, in order", text("in_order"), link, _listed(flow.queries_in_order(stream)))


def dag_page(stream: Stream, address: Callable[[str], str]) -> str:
    """Markdown for the page of a stream's DAG. address: of a page of the report."""
    many = {"many days in one pass": f"`{stream.name}{flow.BACKFILL}`"} if queries_of(stream.name) else {}
    shown = {
        **stream_facts(stream),
        **many,
        "page of the report": _link(stream_file(stream.name), address),
        # Not last: of a text that ends with .md Airflow thinks that it is a file's path.
        "explained in": f"docs/streams/{stream.name}.md",
        "columns": ", ".join(column.name for column in stream.columns),
    }
    facts = "\n".join(f"- {name}: {value}" for name, value in shown.items())
    return page(stream.title, text("every_stream"), facts, _listed(flow.scheduled_queries(stream)))


def _listed(queries: Sequence[Query]) -> str:
    lines = [f"- `{query.name}`: {describe(query)}" for query in queries]
    return "\n".join(["#### Queries", "", *lines]) if lines else ""


def _link(file: str, address: Callable[[str], str]) -> str:
    return f"[{file}]({address(file)}), made by `{flow.REPORT_DAG}`"


def stream_facts(stream: Stream) -> dict[str, str]:
    """What pages of docs, report and DAGs say of it, by name."""
    days = f"{stream.first_day} to {stream.last_day}" if stream.last_day else f"{stream.first_day} onwards"
    silence = "does not move the watermark"
    if stream.idle_after is not None:
        silence = f"moves the watermark after each {in_words(stream.idle_after)}"
    return {
        "source": stream.source,
        "days": f"{days}: {stream.why_these_days}" if stream.why_these_days else days,
        "event time": stream.start_meaning,
        "arrival": stream.arrival_meaning,
        "key": f"({', '.join(stream.key)}), in {stream.buckets} buckets",
        "ahead of its arrival at most": in_words(stream.ahead_at_most),
        "silence": silence,
        "time zone": stream.zone,
        "clock rule": stream.clock_rule,
    }


def task_page(task: flow.Task) -> str:
    """Markdown for a task: its command and its stages."""
    stages = "\n".join(f"- {stage.name}: {stage.does}" for stage in task.stages)
    return f"`{command_line(task)}`\n\n{stages}"


def command_line(task: flow.Task) -> str:
    """What a task runs, as a user would type it."""
    return " ".join(("windrow", *task.arguments, *(("--day", "DAY") if task.of_a_day else ())))


def describe(query: Query) -> str:
    """One line: aggregates or a model's function, key, window, lateness, emit."""
    return (
        f"{asked(query)} per ({', '.join(query.key)}); {'; '.join(map(': '.join, windows_of(query)))}; "
        f"lateness {in_words(query.lateness)}, "
        f"allowed lateness {in_words(query.allowed_lateness)}, emit {query.emit}"
    )


def windows_of(query: Query) -> list[tuple[str, str]]:
    """Of each window its kind, where there are several with its name, and its parameters."""
    named = query.windows or {"": query.window}
    return [(f"{name} {window.kind} window".lstrip(), window.given_in_words) for name, window in named.items()]


def asked(query: Query) -> str:
    """Aggregates by name, or a model's function."""
    listed = [f"{name} = {aggregate}" for name, aggregate in query.aggregates.items()]
    if isinstance(query, Model):
        listed.insert(0, call(query.function))
    return ", ".join(listed)


def call(function: HeavyCall) -> str:
    given = "".join(f", {name} {value}" for name, value in function.parameters)
    return f"{function.function}({', '.join(function.columns)}{given})"
