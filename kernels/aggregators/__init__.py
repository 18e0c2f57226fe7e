"""Aggregators of point events: one file or folder = one kernel, found by looking. Each explains it and
defines `KERNEL`, its window API. Names that start with an underscore are shared by several kernels."""

import functools
import importlib
from collections.abc import Mapping

from kernels.given import require_known
from kernels.runtime.found import names_in
from schemas.errors import NotServed
from schemas.query import Aggregate


def kernels() -> list[str]:
    """Names of the kernels in the folder, sorted."""
    return names_in(__path__)


@functools.cache
def window_class(kernel: str) -> type:
    """The class of a kernel's object. NotServed for an unknown one."""
    if kernel not in kernels():
        raise NotServed("kernel", kernel, kernels())
    return importlib.import_module(f"{__name__}.{kernel}").KERNEL


def make(kernel: str, aggregates: Mapping[str, Aggregate], **options):
    """An empty window: insert, bulk_insert, evict, bulk_evict, query, range_query, oldest, youngest, len, check.

        window = make("finger_tree", {"trips": agg("count"), "longest": agg("max", "duration_s")}, min_arity=8)

    aggregates: name → what `schemas.query.agg` makes, as in a Query. options: `column_types`, a dict of those columns
    that hold something else than float64; others are those of the kernel's class (`OPTIONS`).
    Raises NotServed for an unknown kernel or function, WrongParameter for a wrong option, column or parameter.
    """
    require_known("kernel", kernel, kernels())
    made = window_class(kernel)
    made.require(kernel, aggregates, options)
    return made(aggregates, **options)
