"""Tables of compiled operations on states: one of each monoid, and one of plans of several slots.

A monoid is compiled alone, when a query first asks for it, and kept in a folder of its file's own
(kernels/runtime/cache.py): a new aggregate costs some seconds and no other compiled code changes.
"""

import functools
from collections.abc import Callable, Mapping
from typing import TypeVar

from numba.core.errors import NumbaError

from windrow.kernels.monoid import Monoid, Sketch
from windrow.kernels.monoids import module_of, monoids_of
from windrow.kernels.runtime.addresses import named_inner
from windrow.kernels.runtime.cache import AGGREGATES, folders_of
from windrow.kernels.runtime.found import not_compiled
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.runtime.tables import compiled_table
from windrow.kernels.states import monoid_operations, plan_operations, sketch_operations
from windrow.kernels.states.layout import StateOperations, reader, writer
from windrow.kernels.trial import try_aggregate

T = TypeVar("T", bound=Struct)
OF_SLOTS = ("lower", "lower_each", "take_in")
OPTIONAL = {"subtract": "inverse", "join": "join"}  # operations that need a part which not every monoid has
PARTS = {each: each for each in ("identity", "lift", "combine", "inverse", "add", "absorb")}
PARTS |= {"lower": "answer", "clear": "reset", "join": "join_states"}
"""Functions of a monoid, and what operations call them."""


def compiled_apart(kind: type[T], function: str, name: str, operations: Mapping[str, Callable]) -> T:
    """A table of what one aggregate of a file can be asked, kept in the folder of that file. BrokenDefinition where
    Numba can't compile it."""
    try:
        return compiled_table(kind, name, operations, folders_of(AGGREGATES, function))
    except NumbaError as error:
        try_aggregate(function)  # plain Python says it better
        raise not_compiled(module_of(function), str(error)) from error


@functools.cache
def monoid_table(function: str, name: str) -> StateOperations:
    """The operations on states of one monoid of a file, once: some seconds where it is compiled first. Raises as
    compiled_apart."""
    operations = monoid_functions(name, monoids_of(function)[name])
    table = compiled_apart(StateOperations, function, name, operations)
    if "join" not in operations:
        table.join = table.merge
    return table


@functools.cache
def plan_table() -> StateOperations:
    """The operations on states of several slots."""
    functions = {each: getattr(plan_operations, each) for each in StateOperations.fields if each not in OF_SLOTS}
    return compiled_table(StateOperations, "plan_of_states", functions)


def monoid_functions(name: str, monoid: Monoid | Sketch) -> dict[str, Callable]:
    """The operations of one monoid by their names, compiled under a name of its own."""
    own = f"{name}.own"
    given = {called: getattr(monoid, part, None) for part, called in PARTS.items()}
    names = {called: named_inner(own, function) for called, function in given.items() if function is not None}
    names |= {"takes_time": monoid.takes_time, "takes_nulls": monoid.takes_nulls}
    names |= {"needs_no_column": "" in monoid.column_types, "has_second": bool(monoid.second_types)}
    templates = vars(monoid_operations)
    if isinstance(monoid, Monoid):
        names |= {"read_state": reader(monoid.words), "write_state": writer(monoid.words)}
        names["read_parameters"] = reader(len(monoid.parameters))
        names["read_lift_parameters"] = reader(len(monoid.parameters) if monoid.lift_takes_parameters else 0)
        names["lifted"] = named_inner(own, templates["lifted"], names)
    else:
        templates = templates | {each: made for each, made in vars(sketch_operations).items() if made is not None}
    for each in ("lowered", "is_there", "take_row", "lift_row"):
        names[each] = named_inner(own, templates[each], names)
    operations: dict[str, Callable] = {}
    for operation in StateOperations.fields:
        if getattr(monoid, OPTIONAL.get(operation, "lower"), None) is not None:
            operations[operation] = named_inner(name, templates[operation], names | operations)
    return operations
