"""Aggregators of point events: one file or folder = one kernel, found by looking. Each defines `KERNEL`, its
object face."""

import importlib
import pkgutil
from collections.abc import Sequence

from kernels.monoids import AggregateSpec
from schemas.errors import NotServed, WrongParameter


def kernels() -> list[str]:
    """Names of the kernels in the folder, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def make(kernel: str, aggregates: Sequence[str | AggregateSpec], column_type: str = "float64", **options):
    """An empty window: insert, bulk_insert, evict, bulk_evict, query, range_query, oldest, youngest, len,
    check.

    aggregates: AggregateSpecs, or names of functions of the one column 0, of `column_type`. options: those of
        the kernel's
    class, for the finger tree `min_arity`. Raises NotServed for an unknown kernel or function, WrongParameter
    for an option.
    """
    if kernel not in kernels():
        raise NotServed("kernel", kernel, kernels())
    specs = [
        spec if isinstance(spec, AggregateSpec) else _of_column_0(spec, column_type) for spec in aggregates
    ]
    face = importlib.import_module(f"{__name__}.{kernel}").KERNEL
    unknown = sorted(set(options) - set(face.OPTIONS))
    if unknown:
        raise WrongParameter("options", unknown[0], f"options of {kernel}: {', '.join(face.OPTIONS)}")
    return face(specs, **options)


def _of_column_0(function: str, column_type: str) -> AggregateSpec:
    return AggregateSpec(function) if function == "count" else AggregateSpec(function, 0, column_type)
