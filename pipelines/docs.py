"""Makes the pages of docs/ that say what the definitions say: `python -m pipelines.docs` (or `make docs`)."""

import importlib
import inspect
from pathlib import Path

from kernels.aggregators import face, kernels
from kernels.aggregators._card import Card
from kernels.disorder import FAR
from kernels.monoid import SECOND, Parameter
from kernels.monoids import describe, every_monoid, functions
from pipelines import flow, flow_text
from pipelines.query_tables import QueryTables
from schemas.query import Query
from schemas.registry import queries_of, streams
from schemas.stream import COMMON_REFUSALS, Column, Layout, Stream
from schemas.tables import RUNS, VERDICTS, Table, ingest_tables

DOCS = Path(__file__).resolve().parent.parent / "docs"
KERNELS_INTRODUCTION = (
    '`kernels.aggregators.make("finger_tree", {"total": agg("sum", "amount")})` is a window of events: `insert`, '
    "`bulk_insert`, `evict`, `bulk_evict`, `query`, `range_query`, `oldest`, `youngest`, `len`, `check`. Costs below: "
    "n entries in the window, d of them younger than an event, m in a burst or an eviction; amortised unless told "
    "otherwise."
)
KERNELS_OF_REPLAYS = (
    "A replay keeps panes, or events, in the same kernels. `replay_table(events, query, kernel=\"daba_lite\")` names "
    "one; a kernel that takes events in order refuses a key whose events aren't, and says which. Without a name each "
    "key gets its own, by query and events alone, and the ledger's `kernel` and `counts` tell which:\n\n"
    "| the key's events | kernel |\n| --- | --- |\n"
    "| in order of time, windows not rolling, aggregates that commute | `two_stacks_lite` |\n"
    f"| {FAR:,} younger ones came before one, on average, of more than twice as many; windows are rolling, "
    "aggregates commute and are small | `rank_tree`: a place for each "
    "event from the start, by its rank; not to be had by name, since it must know all events |\n"
    "| other | `finger_tree` |\n| any, spanning windows | `se_slicing`, over two finger trees |"
)
MADE = "<!-- Made by `make docs` from the definitions: change those, not this page. -->"


def pages() -> dict[str, str]:
    """Text of each made page, by file name."""
    each = {f"streams/{stream.name}.md": _page([MADE, *_stream(stream)]) for stream in streams().values()}
    return {"tables.md": tables_page(), "streams.md": streams_page(), "flow.md": flow_page(),
            "aggregates.md": aggregates_page(), "kernels.md": kernels_page(), **each}


def tables_page() -> str:
    """Every table with its columns."""
    parts = [
        "# Tables",
        MADE,
        "One folder per table below `var/lake` (or `$WINDROW_HOME/lake`). Times are UTC. "
        "`windrow tables` lists those that exist; `windrow query` reads them.",
    ]
    for stream in streams().values():
        parts += [f"## Stream {stream.name}", *(_table(table) for table in ingest_tables(stream))]
        parts += [part for query in queries_of(stream.name) for part in _query_tables(query)]
    return _page([*parts, "## Ledger", _table(RUNS), _table(VERDICTS)])


def streams_page() -> str:
    """Which streams there are, and for what every one of them refuses a line."""
    listed = [["stream", "what its events are", "an event becomes known", "queries"]]
    listed += [[f"[{stream.name}](streams/{stream.name}.md)", stream.title, stream.arrival_meaning,
                ", ".join(f"`{query.name}`" for query in queries_of(stream.name))] for stream in streams().values()]
    shared = {"Reason": "meaning", **COMMON_REFUSALS}
    return _page(
        [
            "# Streams",
            MADE,
            "A stream is one file in `schemas/streams/`; [how to add one](add-a-stream.md). "
            "[Everything accounted for](accounted-for.md) has the figures of the real files.",
            _grid(listed),
            "## Reasons that all streams share",
            "A line is judged in this order; the first reason that fits is the one that is kept.",
            _grid([list(pair) for pair in shared.items()]),
        ]
    )


def flow_page() -> str:
    """The stages, and what each reads and writes."""
    parts = [
        "# The flow",
        MADE,
        "Ingest follows the files: it brings every arrival day that they touch up to date. "
        "Replay follows the logical date: it reads nothing that arrived later.",
    ]
    for stream in streams().values():
        parts += [f"## {stream.name}", _picture(stream), flow_text.flow_page(stream), *_tasks(stream)]
    return _page(parts)


def aggregates_page() -> str:
    """Every aggregate, what it takes and what it gives."""
    rows = [["aggregate", "columns", "parameters", "gives"], *(_aggregate(name) for name in functions())]
    return _page(
        [
            "# Aggregates",
            MADE,
            'In a query: `agg("std", "trip_duration_s", ddof=0)`, `agg("argmin", "price", "shop")`. Null values are '
            "skipped; an aggregate of an event's own order takes events by (start, arrival, seq). A value without an "
            "answer, such as a sum of integers beyond int64, fails the run: nothing wraps and nothing is NaN. "
            "int64 stands for every type of integers, timestamp for times of day and durations too. "
            "[How to add one](add-an-aggregate.md).",
            _grid(rows),
            "\n".join(f"- {describe(name)}" for name in functions()),
        ]
    )


def _aggregate(name: str) -> list[str]:
    monoids = [monoid for function, monoid in every_monoid() if function == name]
    columns = dict.fromkeys(each or "none" for monoid in monoids for each in monoid.column_types)
    seconds = dict.fromkeys(each for monoid in monoids for each in monoid.second_types)
    parameters = {each.name: _parameter(each) for monoid in reversed(monoids) for each in monoid.parameters}
    gives = dict.fromkeys({None: "the column's type", SECOND: "the second column's type"}.get(
        monoid.output_type, monoid.output_type) for monoid in monoids)
    second = f"; or with a second column: {', '.join(seconds)}" if seconds else ""
    return [f"`{name}`", ", ".join(columns) + second, "<br>".join(parameters.values()), ", ".join(gives)]


def kernels_page() -> str:
    """Every aggregator of point events: what it promises, and how it works."""
    head = [field.replace("_", " ") for field in Card._fields]
    rows = [["kernel", *head], *([f"`{name}`", *face(name).CARD] for name in kernels())]
    parts = [part for name in kernels() for part in (f"## {name}", f"```\n{_about(name)}\n```", _options(name))]
    return _page(["# Kernels of point events", MADE, KERNELS_INTRODUCTION, KERNELS_OF_REPLAYS, _grid(rows), *parts])


def _about(kernel: str) -> str:
    """The docstring of the module in which a kernel is explained."""
    module = importlib.import_module(f"kernels.aggregators.{kernel}")
    return inspect.getdoc(getattr(module, "EXPLAINED_IN", module))


def _options(kernel: str) -> str:
    options = ", ".join(f"`{option}`" for option in (*face(kernel).OPTIONS, "column_types"))
    return f"Options: {options}. {' '.join(inspect.getdoc(face(kernel)).split())}"


def _parameter(parameter: Parameter) -> str:
    step = f", a multiple of {parameter.step}" if parameter.step else ""
    return f"`{parameter.name}` {parameter.least:,} to {parameter.most:,}{step}; {parameter.default:,} unless given" \
        if abs(parameter.most) < 1 << 62 else f"`{parameter.name}` any; {parameter.default} unless given"


def _page(parts: list[str]) -> str:
    return "\n\n".join(parts) + "\n"


def _query_tables(query: Query) -> list[str]:
    tables = QueryTables.of(query)
    same = (
        f"`{tables.audit.name}` and `{tables.late_audit.name}` have the same columns: what a run made, "
        f"let through by the gate or not."
    )
    views = (
        f"`{query.name}_final` is every window's newest revision, `{query.name}_as_of(t)` what was known "
        "at `t` ([semantics](semantics.md))."
    )
    return [
        f"### Query {query.name}",
        flow_text.describe(query),
        _table(tables.results),
        views,
        _table(tables.late),
        same,
    ]


def _table(table: Table) -> str:
    notes = [f"Partitioned by {', '.join(table.partition_by)}."] if table.partition_by else []
    notes += [f"Sorted by {', '.join(table.sort_by)}."] if table.sort_by else []
    notes += [f"Every row: `{condition}`." for _, condition in table.constraints]
    parts = [f"#### `{table.name}`", f"{table.comment}.", _columns(table.columns), " ".join(notes)]
    return "\n\n".join(part for part in parts if part)


def _columns(columns: tuple[Column, ...]) -> str:
    rows = [
        [
            f"`{each.name}`",
            each.type,
            each.unit or "",
            _range(each),
            "" if each.nullable else "never",
            each.meaning,
        ]
        for each in columns
    ]
    return _grid([["column", "type", "unit", "range", "null", "meaning"], *rows])


def _range(column: Column) -> str:
    if column.low is None:
        return "" if column.high is None else f"at most {column.high}"
    return f"at least {column.low}" if column.high is None else f"{column.low} to {column.high}"


def _stream(stream: Stream) -> list[str]:
    days = f"{stream.first_day} to {stream.last_day}" if stream.last_day else f"{stream.first_day} onwards"
    facts = {
        "source": stream.source,
        "days": days,
        "event time": stream.start_meaning,
        "arrival": stream.arrival_meaning,
        "key": f"({', '.join(stream.key)}), in {stream.buckets} buckets",
        "ahead of its arrival at most": stream.ahead_at_most,
        "time zone": stream.zone,
        "clock rule": stream.clock_rule,
    }
    layouts = [["layout", "files", "first line", "what makes an event the same"]]
    layouts += [
        [
            each.name,
            " ".join(f"`{path}`" for path in each.paths),
            "`" + each.delimiter.join(each.header) + "`" if each.header else "no header",
            _identity(each),
        ]
        for each in stream.layouts
    ]
    skipped = [["skipped", "why"], *([f"`{path}`", why] for path, why in stream.not_events)]
    beside = [["side input", "files", "meaning"]]
    beside += [[each.name, " ".join(f"`{path}`" for path in each.paths), each.meaning] for each in stream.side_inputs]
    own = [["own reason for refusal", "meaning"], *(list(pair) for pair in stream.refusals.items())]
    return [
        f"# {stream.name}: {stream.title}",
        "\n".join(f"- {name}: {value}" for name, value in facts.items()),
        *(_grid(grid) for grid in (layouts, skipped, beside, own) if len(grid) > 1),
        "[Reasons that all streams share](../streams.md)",
        "## Columns",
        _columns(stream.columns),
        "## Queries",
        "\n".join(f"- `{query.name}`: {flow_text.describe(query)}" for query in queries_of(stream.name)) or "none yet",
        f"What `windrow profile {stream.name}` says of it in your lake: how much, how disordered, how dirty.",
    ]


def _identity(layout: Layout) -> str:
    if isinstance(layout.identity, tuple):
        return ", ".join(f"`{name}`" for name in layout.identity)
    return "its whole line" if layout.identity else "nothing: there are no duplicates"


def _picture(stream: Stream) -> str:
    """Tables from left to right, as the stages make them."""
    name = stream.name
    lines = [
        f"landing/ ──▶ bronze_{name} ──▶ silver_{name} ──▶ pass_{name}",
        f"{' ' * 12}└─▶ quarantine_{name}, files_{name}",
    ]
    lines += [
        f"silver_{name}, pass_{name} ──▶ {each.name}_audit ──gate──▶ {each.name}, {each.name}_late"
        for each in flow.scheduled_queries(stream)
    ]
    return "\n".join(["```", *lines, "```"])


def _tasks(stream: Stream) -> list[str]:
    asked = [
        task
        for query in flow.scheduled_queries(stream)
        for task in (flow.replay_task(query), flow.publish_task(query))
    ]
    rows = [
        [" → ".join(stage.name for stage in task.stages), f"`windrow {' '.join(task.arguments)} --day DAY`"]
        for task in (flow.ingest_task(stream), *asked)
    ]
    return ["The tasks of a run, each one process:", _grid([["stages", "command"], *rows])]


def _grid(rows: list[list[str]]) -> str:
    """A Markdown table; the first row is its head."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *body))


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text)
        print(f"made docs/{name}")


if __name__ == "__main__":
    main()
