"""Tables of compiled operations on states: one of each monoid, and one of plans of several slots.

A monoid is compiled alone, when a query first asks for it, and kept in a folder of its file's own
(kernels/runtime/cache.py): a new aggregate costs some seconds and no other compiled code changes.
"""

import functools
from collections.abc import Callable

from numba.core.errors import NumbaError

from kernels.monoid import Monoid, Sketch
from kernels.monoids import module_of, monoids_of
from kernels.runtime.addresses import bound_to, named_inner
from kernels.runtime.cache import AGGREGATES, folders_of
from kernels.runtime.found import not_compiled
from kernels.runtime.memory import inner
from kernels.runtime.struct import words_at
from kernels.runtime.tables import compiled_table
from kernels.states import monoid_operations, plan_operations, sketch_operations
from kernels.states.glue import GLUED, glue
from kernels.states.layout import StateOperations
from kernels.trial import try_aggregate

OF_SLOTS = ("lower", "lower_each", "take_in")
OPTIONAL = {"subtract": "inverse", "join": "join"}  # operations that need a part which not every monoid has
PARTS = ("identity", "lift", "combine", "inverse", "lower", "reset", "add", "absorb", "join_states")


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
    template = sketch_operations if isinstance(monoid, Sketch) else monoid_operations
    own = _own_functions(name, monoid)
    names = own | _glued(name, monoid, own)
    operations = {}
    for operation in StateOperations.fields:
        if getattr(monoid, OPTIONAL.get(operation, "lower"), None) is not None:
            operations[operation] = inner(bound_to(name, getattr(template, operation), names | operations))
    return operations


def _own_functions(name: str, monoid: Monoid | Sketch) -> dict[str, Callable]:
    """The monoid's functions, by the names that operations and glue.py have for them."""
    parts = monoid._asdict() | {"reset": getattr(monoid, "clear", None), "join_states": getattr(monoid, "join", None)}
    given = {part: function for part, function in parts.items() if part in PARTS and function is not None}
    return {part: inner(bound_to(f"{name}.own", function, {})) for part, function in given.items()}


def _glued(name: str, monoid: Monoid | Sketch, own: dict[str, Callable]) -> dict[str, Callable]:
    scope = {"words_at": words_at, **own}
    exec(compile(glue(monoid), glue.__code__.co_filename, "exec"), scope)
    for each in GLUED:  # in their order: they call each other
        if each in scope:
            scope[each] = named_inner(f"{name}.own", scope[each])
    return {each: scope[each] for each in GLUED if each in scope}
