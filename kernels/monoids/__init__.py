"""Aggregates: one file in this folder = one aggregate, named as the file; found by looking, listed nowhere.

A file defines `MONOIDS`, a tuple of Monoid (kernels/monoid.py), at most one per column type. Null values are skipped
by the kernels and never reach `lift`. Files whose name starts with an underscore are shared by several aggregates.
"""

import importlib
import pkgutil

from kernels.monoid import AggregateSpec, Monoid
from schemas.errors import NotServed, WrongParameter


def functions() -> list[str]:
    """Names of the aggregates in the folder, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))


def every_monoid() -> list[tuple[str, Monoid]]:
    """(function, monoid) of everything in the folder; the place in this list is the monoid's code in compiled
    kernels."""
    return [(name, monoid) for name in functions()
            for monoid in importlib.import_module(f"{__name__}.{name}").MONOIDS]


def find_monoid(spec: AggregateSpec) -> tuple[int, Monoid]:
    """Code and monoid of an aggregate. Raises NotServed for an unknown function, WrongParameter for a wrong
    column."""
    if spec.function not in functions():
        raise NotServed("aggregate", spec.function, functions())
    column_type = "" if spec.column is None else spec.column_type
    taken = []
    for code, (function, monoid) in enumerate(every_monoid()):
        if function == spec.function:
            if column_type in monoid.column_types:
                return code, monoid
            taken += monoid.column_types
    allowed = ", ".join(name or "no column" for name in taken)
    raise WrongParameter(f"column of {spec.function}", column_type or "no column", allowed)


def output_type(spec: AggregateSpec) -> str:
    """Column type of the aggregate's result. Raises as find_monoid."""
    return find_monoid(spec)[1].output_type or spec.column_type


__all__ = ["AggregateSpec", "Monoid", "every_monoid", "find_monoid", "functions", "output_type"]
