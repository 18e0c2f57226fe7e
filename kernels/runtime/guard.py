"""A call that gets no memory ends with KernelOutOfMemory, and the process goes on.

Compiled code has no exceptions. A guarded call notes where it began (setjmp); where `realloc` comes back empty-handed,
however deep in kernels that call each other by address, `resize` jumps back to there (longjmp), and Python raises. A
block that can't grow stays as it was and every structure still names it, so what the call worked on can be destroyed,
but not used: an operation ended in its middle.

    Python          ask(…) ─▶ guarded call ─▶ insert ─▶ … ─▶ resize: no memory
    raises  ◀── has_failed ◀── setjmp, again ◀───── longjmp ────┘

Tried first: abort with a message, which took the user's notebook along; a status from every function that allocates,
which all of a tree's functions would have to pass on, and test.
"""

import ctypes
from _thread import get_ident

from llvmlite import binding, ir

from windrow.kernels.runtime.numba_names import get_or_insert_function
from windrow.schemas.errors import KernelOutOfMemory

NO_GUARD = 0
_I32, _I64 = ir.IntType(32), ir.IntType(64)
HAS_FAILED, ASKED_BYTES, BEGIN = range(3)
GUARD_WORDS = BEGIN + 64
"""Words of a guard: 1 if memory was refused, how many bytes were asked for, and a jmp_buf: at most 312 bytes on the
processors that Numba serves."""
_GuardWords = ctypes.c_int64 * GUARD_WORDS  # not a NumPy array: that took longer than the call
_guards: dict[int, list[int]] = {}  # addresses of the guards of calls at work, by thread


def _guard_of_thread() -> int:
    """The innermost guarded call of the thread that asks."""
    guards = _guards.get(get_ident())
    return guards[-1] if guards else NO_GUARD


_callback = ctypes.CFUNCTYPE(ctypes.c_int64)(_guard_of_thread)
binding.add_symbol("windrow_guard_of_thread", ctypes.cast(_callback, ctypes.c_void_p).value)


class Guard:
    """with Guard() as guard: a compiled function that gets guard.address calls under it (operations.py)."""

    def __init__(self):
        self._words = _GuardWords()
        self.address = ctypes.addressof(self._words)

    def __enter__(self) -> "Guard":
        _guards.setdefault(get_ident(), []).append(self.address)
        return self

    def __exit__(self, error_type, error, traceback) -> None:
        guards = _guards[get_ident()]
        guards.pop()
        if not guards:
            del _guards[get_ident()]
        if self._words[HAS_FAILED] and error is None:
            raise KernelOutOfMemory(self._words[ASKED_BYTES])


def call_c(builder, name: str, returned, *values):
    """Call a function of C, or of a symbol of ours: LLVM's value of what it returns."""
    kind = ir.FunctionType(returned, [value.type for value in values])
    return builder.call(get_or_insert_function(builder.module, kind, name), values)


def _word(builder, guard, number):
    address = builder.add(guard, ir.Constant(_I64, 8 * number))
    return builder.inttoptr(address, _I64.as_pointer())


def guarded_caller(module, words: int) -> ir.Function:
    """A function (guard, address, word, …) → word of the module: calls the function at `address` under the guard."""
    name = f"windrow_guarded_{words}"
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, ir.FunctionType(_I64, [_I64] * (words + 2)), name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    guard, address, *arguments = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    setjmp = get_or_insert_function(module, ir.FunctionType(_I32, [_I64.as_pointer()]), "_setjmp")
    setjmp.attributes.add("returns_twice")
    came_back = builder.icmp_signed("!=", builder.call(setjmp, [_word(builder, guard, BEGIN)]), ir.Constant(_I32, 0))
    with builder.if_then(came_back, likely=False):
        builder.store(ir.Constant(_I64, 1), _word(builder, guard, HAS_FAILED))
        builder.ret(ir.Constant(_I64, 0))
    callee = builder.inttoptr(address, ir.FunctionType(_I64, [_I64] * words).as_pointer())
    builder.ret(builder.call(callee, arguments))
    return function


def jump_to_guard(builder, asked_bytes) -> None:
    """Leave the call for the guard of its thread; where there is none, go on behind."""
    guard = call_c(builder, "windrow_guard_of_thread", _I64)
    guarded, unguarded = builder.append_basic_block(), builder.append_basic_block()
    builder.cbranch(builder.icmp_signed("!=", guard, ir.Constant(_I64, NO_GUARD)), guarded, unguarded)
    builder.position_at_end(guarded)
    builder.store(asked_bytes, _word(builder, guard, ASKED_BYTES))
    call_c(builder, "longjmp", ir.VoidType(), _word(builder, guard, BEGIN), ir.Constant(_I32, 1))
    builder.unreachable()
    builder.position_at_end(unguarded)
