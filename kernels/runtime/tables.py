"""Tables of compiled functions: everything that one kernel, or one monoid, can be asked, behind addresses.

    table = compiled_table(PointKernel, "finger_tree", {"insert": insert, …})
    table.insert(tree, time, state, row)

All functions of a table are compiled together into one library, alone, and linked into none of their callers. Numba
copies whatever a function calls into it and optimises both together, level by level: with the monoids linked into
every kernel each new one cost all kernels some seconds (50 of them: three and a half minutes), with the finger tree
linked into the replay, its objects and the answers after each event every one of these took half a minute. A call by
address costs about 2 ns more than one that isn't inlined.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeVar

from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

from windrow.kernels.runtime.addresses import bound_to, place_of
from windrow.kernels.runtime.cache import kernels_folders
from windrow.kernels.runtime.fields import Word
from windrow.kernels.runtime.kept import keep
from windrow.kernels.runtime.memory import inner
from windrow.kernels.runtime.operations import stands_for
from windrow.kernels.runtime.struct import Struct

T = TypeVar("T", bound=Struct)
_I64 = ir.IntType(64)
NOT_KEPT = ()
"""As folders of a table: functions that no file's digest names, which another process must not take for its own."""


def kinds_of(function: Callable) -> list:
    """What the parameters of a function are: structures or pointers, or words where nothing is written."""
    annotations = (parameter.annotation for parameter in inspect.signature(function).parameters.values())
    return [kind if hasattr(kind, "numba_type") else Word for kind in annotations]


def _refuse_other_words(table: type[Struct], operation: str, function: Callable) -> None:
    """TypeError for a function that doesn't take the words that its operation is called with."""
    asked, taken = table.fields[operation].kinds, kinds_of(getattr(function, "py_func", function))
    if ... in asked:
        return
    if len(asked) != len(taken):
        raise TypeError(
            f"{table.__name__}.{operation} is called with {len(asked)} words; {function} takes {len(taken)}"
        )
    for kind, struct in zip(asked, taken, strict=True):
        if hasattr(struct, "__mro__") and not stands_for(struct, kind):
            raise TypeError(f"{table.__name__}.{operation} is called with a {kind}; {function} takes a {struct}")


def _from_words(function: Callable) -> Callable:
    """The same over words, without the JIT."""
    kinds = [int if kind is Word else kind for kind in kinds_of(function)]
    return lambda *words: function(*(kind(word) for kind, word in zip(kinds, words, strict=True)))


def compiled_table(table: type[T], name: str, functions: Mapping[str, Callable], folders=None) -> T:
    """A table of that kind with the addresses of some functions, compiled now or loaded from the disk cache; 0 for
    operations that aren't given. `name` is of no other table; folders: where it is kept, if not with the kernels, or
    NOT_KEPT.

    The functions are plain ones. They are called with words; a parameter that is annotated with a structure, as in
    `def insert(tree: Tree, time, state, row)`, is the structure at the address given.
    """
    made = table.make()
    for operation, function in functions.items():
        _refuse_other_words(table, operation, function)
    if config.DISABLE_JIT:
        for operation, function in functions.items():
            setattr(made, operation, place_of(_from_words(function)))
        return made
    by_offset = {table.offsets[operation]: function for operation, function in functions.items()}
    _fill_of(name, by_offset, kernels_folders() if folders is None else folders)(made.address)
    return made


def by_name(*functions: Callable) -> dict[str, Callable]:
    """Compiled functions that are called as the operations are."""
    return {function.__name__: function for function in functions}


def lazy_table(kind: type[T], name: str, *functions: Callable, **others: Callable) -> Callable[[], T]:
    """A table with functions that are named as its operations, and others by name; compiled, or loaded from the disk
    cache, when it is first asked for."""
    operations = by_name(*functions) | others
    return cache(lambda: compiled_table(kind, name, operations))


_fills = []  # dropping a compiled function frees its code


def _fill_of(name: str, functions: Mapping[int, Callable], folders) -> Callable[[int], None]:
    """A function that writes the addresses of all functions to a table."""
    compiled = {offset: each if hasattr(each, "py_func") else inner(each) for offset, each in functions.items()}
    made = njit(nogil=True, error_model="numpy")(bound_to(name, fill, {"write_addresses": _writer(compiled)}))
    _fills.append(keep(made, folders, name) if folders else made)
    return _fills[-1]


write_addresses = None


def fill(table):
    write_addresses(table)


def _writer(functions: Mapping) -> Callable:
    """Of functions of the library that is being compiled, to be called as C functions over words."""

    @intrinsic
    def write_addresses(typingctx, table):
        every = {offset: _compiled(each) for offset, each in functions.items()}

        def write(context, builder, signature, values):
            for offset, (made, arguments) in every.items():
                context.active_code_library.add_linking_library(made.library)
                address = builder.ptrtoint(_as_c_function(context, builder.module, made, arguments), _I64)
                Word.store(builder, builder.add(values[0], ir.Constant(_I64, offset)), address)
            return context.get_dummy_value()

        return types.void(types.int64), write

    return write_addresses


def _compiled(dispatcher) -> tuple:
    arguments = tuple(kind.numba_type for kind in kinds_of(dispatcher.py_func))
    dispatcher.compile(arguments)
    return dispatcher.overloads[arguments], arguments


def _as_c_function(context, module, made, arguments: tuple):
    """The function over words: a structure is its address."""
    name = f"windrow_{made.fndesc.mangled_name}"
    c_function = ir.Function(module, ir.FunctionType(_I64, [_I64] * len(arguments)), name)
    c_function.linkage = "internal"
    builder = ir.IRBuilder(c_function.append_basic_block())
    callee = context.declare_function(module, made.fndesc)
    _, result = context.call_conv.call_function(builder, callee, made.fndesc.restype, arguments, c_function.args)
    if made.fndesc.restype in (types.none, types.void):
        result = ir.Constant(_I64, 0)
    else:
        result = context.cast(builder, result, made.fndesc.restype, types.int64)
    builder.ret(result)
    return c_function
