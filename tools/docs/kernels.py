"""docs/kernels.md: every aggregator of point events, what it promises and how it works."""

import importlib
import inspect

from kernels.aggregators import kernels, window_class
from kernels.aggregators._card import Card
from tools.docs.markdown import MADE, grid, page

INTRODUCTION = (
    '`kernels.aggregators.make("finger_tree", {"total": agg("sum", "amount")})` is a window of events: `insert`, '
    "`bulk_insert`, `evict`, `bulk_evict`, `query`, `range_query`, `oldest`, `youngest`, `len`, `check`. Costs below: "
    "n entries in the window, d of them younger than an event, m in a burst or an eviction; amortised unless marked "
    "otherwise."
)
OF_REPLAYS = (
    'A replay keeps panes, or events, in the same kernels. `replay_table(events, query, kernel="daba_lite")` names '
    "one; a kernel that takes events in order refuses a key whose events aren't, and says which. Without a name each "
    "key gets its own, by query and events alone, and the ledger's `kernel` and `counts` record which:\n\n"
    "| the key's events | kernel |\n| --- | --- |\n"
    "| in time, windows rolling, emit not arrival | `sorted_stacks`: two stacks over the events in order of time; not "
    "to be had by name, since it must know all events |\n"
    "| other | `finger_tree` |\n| any, spanning windows | `se_slicing`, over two finger trees |"
)


def kernels_page() -> str:
    """Every aggregator of point events: what it promises, and how it works."""
    head = [field.replace("_", " ") for field in Card._fields]
    rows = [["kernel", *head], *([f"`{name}`", *window_class(name).CARD] for name in kernels())]
    parts = [part for name in kernels() for part in (f"## {name}", f"```\n{_about(name)}\n```", _options(name))]
    return page(["# Kernels of point events", MADE, INTRODUCTION, OF_REPLAYS, grid(rows), *parts])


def _about(kernel: str) -> str:
    """The docstring of the module in which a kernel is explained."""
    module = importlib.import_module(f"kernels.aggregators.{kernel}")
    return inspect.getdoc(getattr(module, "EXPLAINED_IN", module))


def _options(kernel: str) -> str:
    options = ", ".join(f"`{option}`" for option in (*window_class(kernel).OPTIONS, "column_types"))
    return f"Options: {options}. {' '.join(inspect.getdoc(window_class(kernel)).split())}"
