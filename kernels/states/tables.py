"""Tables of compiled operations on states: one of each monoid, and one of plans of several slots.

A monoid is compiled alone, when a query first asks for it, and kept in a folder of its file's own
(kernels/runtime/cache.py): a new aggregate costs some seconds and no other compiled code changes.
"""

import functools
from collections.abc import Callable
from types import ModuleType

from numba.core.errors import NumbaError

from kernels.monoid import Monoid, Sketch
from kernels.monoids import module_of, monoids_of
from kernels.runtime.addresses import named_inner
from kernels.runtime.cache import AGGREGATES, folders_of
from kernels.runtime.found import not_compiled
from kernels.runtime.tables import compiled_table
from kernels.states import monoid_operations, plan_operations, sketch_operations
from kernels.states.glue import lift_arguments, reader, writer
from kernels.states.layout import StateOperations
from kernels.trial import try_aggregate

OF_SLOTS = ("lower", "lower_each", "take_in")
OPTIONAL = {"subtract": "inverse", "join": "join"}  # operations that need a part which not every monoid has
PARTS = {each: each for each in ("identity", "lift", "combine", "inverse", "add", "absorb")}
PARTS |= {"lower": "answer", "clear": "reset", "join": "join_states"}
"""Functions of a monoid, and what operations call them."""


@functools.cache
def monoid_table(function: str, name: str) -> StateOperations:
    """The operations on states of one monoid of a file. BrokenDefinition where they can't be compiled."""
    operations = monoid_functions(name, monoids_of(function)[name])
    try:
        table = compiled_table(StateOperations, name, operations, folders_of(AGGREGATES, function))
    except NumbaError as error:
        try_aggregate(function)  # plain Python says it better
        raise not_compiled(module_of(function), str(error)) from error
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
    names |= {"takes_nulls": monoid.takes_nulls, "has_second": bool(monoid.second_types)}
    names |= {"needs_no_column": "" in monoid.column_types}
    template, lowered = sketch_operations, sketch_operations.lowered
    if isinstance(monoid, Monoid):
        template = monoid_operations
        names |= {"read_state": reader(monoid.words), "write_state": writer(monoid.words)}
        names |= {"lift_arguments": lift_arguments(own, monoid), "read_parameters": reader(len(monoid.parameters))}
        names["lifted"] = named_inner(own, template.lifted, names)
        lowered = template.lowered_with_parameters if monoid.parameters else template.lowered
    names["lowered"] = named_inner(own, lowered, names)
    for each in ("is_there", "take_row"):
        names[each] = named_inner(own, getattr(template, each), names)
    return _bound(name, template, monoid, names)


def _bound(name: str, template: ModuleType, monoid: Monoid | Sketch, names: dict) -> dict[str, Callable]:
    operations: dict[str, Callable] = {}
    for operation in StateOperations.fields:
        if getattr(monoid, OPTIONAL.get(operation, "lower"), None) is not None:
            operations[operation] = named_inner(name, getattr(template, operation), names | operations)
    return operations
