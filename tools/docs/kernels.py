"""docs/kernels.md: every kernel of point events, of events that last and of frames; what it promises, how it works.
docs/aggregates.md: every aggregate, what it takes and what it gives."""

import importlib
import inspect
from types import ModuleType

from kernels import aggregators, frames, spans
from kernels.aggregators._window import Card
from kernels.monoid import SECOND, SHARE, Parameter
from kernels.monoids import describe, every_monoid, functions
from pipelines.tables.query_tables import OF_ANY_COLUMN
from tools.docs.markdown import MADE, grid, page

INTRODUCTION = (
    '`kernels.aggregators.make("finger_tree", {"total": agg("sum", "amount")})` is a window of events: `insert`, '
    "`bulk_insert`, `evict`, `bulk_evict`, `query`, `range_query`, `oldest`, `youngest`, `len`, `check`. Costs below: "
    "n entries in the window, d of them younger than an event, m in a burst or an eviction; amortised unless marked "
    "otherwise.\n\nThreads that share an object of any kernel take turns. It isn't copied or pickled: make another, of "
    "the same events or of what `save` gave. After `KernelOutOfMemory`, and in a process that was forked while another "
    "thread was in a call of it, it only says that it is lost. Times and values are taken as they are or refused: "
    "whole numbers of any size and order of bytes, no `datetime64`, nothing masked."
)
OF_REPLAYS = (
    'A replay keeps panes, or events, in the same kernels. `replay_table(events, query, kernel="daba_lite")` names '
    "one; a kernel that takes events in order refuses a key whose events aren't, and says which. Without a name each "
    "key gets its own, by query and events alone, and the ledger's `kernel` and `counts` record which:\n\n"
    "| the key's events | kernel |\n| --- | --- |\n"
    "| in time, windows rolling, emit not arrival | `sorted_stacks`: two stacks over the events in order of time; not "
    "to be had by name, since it must know all events |\n"
    "| other | `finger_tree` |\n| any, spanning windows | [one for events that last](#kernels-of-events-that-last) |"
)
OF_SPANS = (
    "Events that last are kept by kernels of their own (SPANS). Each key gets one by its own events: slices, of a "
    "height that grows with the events under way at once, buckets where events are few, sweeping where they meet "
    "hundreds of slices ([decision 0024](decisions/0024-planner-of-spans.md)); the run's log says which and why. "
    "`replay_table` takes one by name: "
    '`kernel="se_ml_slicing", options={"height": 8}`; all give the same rows. '
    '`kernels.spans.make("se_slicing", window, aggregates)` is the windows of one key: `insert_span`, `state`, '
    "`evict`, `first_from`, `save`, `load`, `check`."
)

OF_FRAMES = (
    "Frames are windows that tuples open and close by their values (FRAMES): threshold, delta, aggregate and boundary "
    'frames of `schemas.windows`, and sessions. `kernels.frames.make("multi_buffer", DeltaFrame("celsius", 2.0), '
    '{"most": agg("max", "celsius")})` has the frames of one key: `insert`, `insert_burst`, `frames`, `content`, '
    "`evict`, `save`, `load`, `check`. After each tuple, however late it is, they are what a walk over all tuples in "
    "order of (time, arrival) would cut; a tuple without a value is in none. Values are compared as float64. Queries "
    "over them run on a table in memory (`replay_table`), with these kernels by name; runs by day use `multi_buffer`."
)


def kernels_page() -> str:
    """Every aggregator of point events: what it promises, and how it works."""
    head = [field.replace("_", " ") for field in Card._fields]
    cards = {name: aggregators.window_class(name).CARD for name in aggregators.kernels()}
    rows = [["kernel", *head], *([f"`{name}`", *card] for name, card in cards.items())]
    points = ["# Kernels of point events", MADE, INTRODUCTION, OF_REPLAYS, grid(rows), *_parts_of(aggregators)]
    of_spans = ["# Kernels of events that last", OF_SPANS, *_parts_of(spans)]
    return page([*points, *of_spans, "# Kernels of frames", OF_FRAMES, *_parts_of(frames)])


def _parts_of(family: ModuleType) -> list[str]:
    made = {name: family.window_class(name) for name in family.kernels()}
    return [
        part
        for name, each in made.items()
        for part in (f"## {name}", f"```text\n{_text_of(each.__module__)}\n```", _options_of(each))
    ]


def _options_of(made: type) -> str:
    options = ", ".join(f"`{option}`" for option in (*made.OPTIONS, "column_types"))
    return f"Options: {options}. {' '.join(inspect.getdoc(made).split())}"


def _text_of(module: str) -> str:
    return inspect.getdoc(importlib.import_module(module))


def aggregates_page() -> str:
    """Every aggregate, what it takes and what it gives."""
    rows = [["aggregate", "columns", "parameters", "gives"], *(_aggregate(name) for name in functions())]
    return page(
        [
            "# Aggregates",
            MADE,
            'In a query: `agg("std", "trip_duration_s", ddof=0)`, `agg("argmin", "price", "shop")`. Null values are '
            "skipped; an aggregate of an event's own order takes events by (start, arrival, seq). A value without an "
            "answer, such as a sum of integers beyond int64, fails the run: nothing wraps and nothing is NaN. "
            "int64 stands for every type of integers, timestamp for times of day and durations too. Strings are in the "
            "order of their UTF-8 bytes. Exact medians, quantiles, modes, frequent values and numbers of different "
            "values are served in tumbling, sliding, rolling and spanning windows, prorated ones apart. "
            "[How to add one](add-an-aggregate.md).",
            grid(rows),
            "\n".join(f"- {describe(name)}" for name in functions()),
        ]
    )


def _aggregate(name: str) -> list[str]:
    monoids = [monoid for function, monoid in every_monoid() if function == name]
    columns = dict.fromkeys(each or "none" for monoid in monoids for each in monoid.column_types)
    by_shares = any(SHARE in monoid.second_types for monoid in monoids)
    monoids = [monoid for monoid in monoids if SHARE not in monoid.second_types]
    seconds = dict.fromkeys(each for monoid in monoids for each in monoid.second_types)
    parameters = {each.name: _parameter(each) for monoid in reversed(monoids) for each in monoid.parameters}
    gives = dict.fromkeys(
        {None: "the column's type", SECOND: "the second column's type"}.get(monoid.output_type, monoid.output_type)
        for monoid in monoids
    )
    second = f"; or with a second column: {', '.join(seconds)}" if seconds else ""
    prorated = "; float64 of prorated events" if by_shares else ""
    listed = "none, or any" if name in OF_ANY_COLUMN else ", ".join(columns)
    return [f"`{name}`", listed + second, "<br>".join(parameters.values()), ", ".join(gives) + prorated]


def _parameter(parameter: Parameter) -> str:
    if isinstance(parameter.default, bool):
        other = "" if parameter.least == parameter.most else f" or {not parameter.default}"
        return f"`{parameter.name}` {parameter.default}{other}"
    step = f", a multiple of {parameter.step}" if parameter.step else ""
    return (
        f"`{parameter.name}` {parameter.least:,} to {parameter.most:,}{step}; {parameter.default:,} unless given"
        if abs(parameter.most) < 1 << 62
        else f"`{parameter.name}` any; {parameter.default} unless given"
    )
