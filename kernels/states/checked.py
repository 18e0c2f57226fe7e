"""Aggregates whose integers can't wrap: what `+`, `word * word` or `-x` would take beyond int64 makes a failed state,
and `lower` of it, or of any state made from it, says so. A division by zero does the same.

    state of the monoid's own words, 1 if it failed else 0

People write an aggregate as plain Python, in which integers have no end; compiled, they wrap without a word. That they
call functions for sums and products was thought of: the one that is forgotten is published. So each operator is
replaced before Numba types it, in the monoid's functions and in all of kernels/monoids that these call. Aggregates
that are known to stay within int64 say `checked=False`, and pay nothing.

What isn't watched: arithmetic of libraries, such as NumPy's, and a Sketch, which works on memory.
"""

import operator
from collections.abc import Callable
from types import FunctionType

import numpy as np
from numba import config, njit, types
from numba.core import ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import TypingError
from numba.core.untyped_passes import IRProcessing
from numba.extending import intrinsic, overload

from kernels.monoid import Monoid
from kernels.runtime.addresses import bound_to, plain

AGGREGATES = "kernels.monoids."
SMALLEST, LARGEST, BITS = -(1 << 63), (1 << 63) - 1, 64
BEYOND = "beyond int64"


def checked(name: str, monoid: Monoid) -> Monoid:
    """The monoid with a word more, of states that failed. `name`: of no other monoid."""
    functions = {part: getattr(monoid, part) for part in ("identity", "lift", "combine", "lower", "inverse")}
    compiled = {part: _compiled(f"{name}.watched", each) for part, each in functions.items() if each is not None}
    identity = compiled["identity"]

    def checked_identity():
        return identity() + (0,)

    return monoid._replace(
        words=monoid.words + 1,
        identity=checked_identity,
        lift=_checked_lift(f"{name}.watched", identity, compiled["lift"]),
        combine=_checked_pair(identity, compiled["combine"]),
        lower=_checked_lower(f"{name}.watched", compiled["lower"]),
        inverse=_checked_pair(identity, compiled["inverse"]) if monoid.inverse else None,
        failure=_failure(monoid.failure),
    )


def _checked_lift(name: str, identity: Callable, lift: Callable) -> Callable:
    def lift_of(arguments):  # Numba takes no stars within `try`
        return lift(*arguments)

    lift_of = njit(bound_to(name, lift_of, {}))

    def checked_lift(*arguments):
        state, failed = identity(), 1
        try:
            state = lift_of(arguments)
            failed = 0
        except Exception:
            failed = 1
        return state + (failed,)

    return checked_lift


def _checked_pair(identity: Callable, made_of: Callable) -> Callable:
    """Of `combine` and `inverse`. A state that failed stays one."""

    def checked_pair(first, second):
        state, failed = identity(), 1
        if first[-1] == 0 and second[-1] == 0:
            try:
                state = made_of(first[:-1], second[:-1])
                failed = 0
            except Exception:
                failed = 1
        return state + (failed,)

    return checked_pair


def _checked_lower(name: str, lower: Callable) -> Callable:
    def lower_of(state, parameters):
        return lower(state, *parameters)

    lower_of = njit(bound_to(name, lower_of, {}))

    def checked_lower(state, *parameters):
        word, is_null, failed = 0, False, True
        if state[-1] == 0:
            try:
                word, is_null, failed = lower_of(state[:-1], parameters)
            except Exception:
                failed = True
        return (word, is_null, failed)

    return checked_lower


def _failure(own: str) -> str:
    beyond = Monoid._field_defaults["failure"]
    return own if own == beyond else f"{own}; or a number on the way {beyond}"


def _compiled(owner: str, function: Callable) -> Callable:
    if config.DISABLE_JIT:
        return _bounded(function)
    # Python's division: by zero it raises. NumPy's gives 0 for integers.
    made = bound_to(owner, function, {})
    return njit(nogil=True, error_model="python", pipeline_class=_Checked)(made)


def _bounded(function: Callable) -> Callable:
    """Plain Python's integers have no end: here it is."""

    def bounded(*arguments):
        found = function(*arguments)
        if not all(SMALLEST <= word <= LARGEST for word in found):
            raise OverflowError(BEYOND)
        return found

    return bounded


class _Checked(CompilerBase):
    """Numba's compiler, with the operators replaced."""

    def define_pipelines(self):
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_Replace, IRProcessing)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=False, analysis_only=False)
class _Replace(FunctionPass):
    """Checked functions in place of operators, and of what else makes an integer."""

    _name = "windrow_checked_operators"

    def __init__(self):
        FunctionPass.__init__(self)

    def run_pass(self, state):
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                if isinstance(statement, ir.Assign):
                    _replace(statement.value)
        return True


def _replace(value) -> None:
    if isinstance(value, ir.Expr) and value.op in ("binop", "unary"):
        value.fn = CHECKED.get(value.fn, value.fn)
    elif isinstance(value, ir.Expr) and value.op == "inplace_binop":
        value.fn = value.immutable_fn = CHECKED.get(value.immutable_fn, value.immutable_fn)
    elif isinstance(value, (ir.Global, ir.FreeVar)):
        value.value = _called(value.value)


def _called(value):
    """What a name stands for: a function of kernels/monoids is compiled like those of the monoid."""
    function = plain(value)
    if isinstance(function, FunctionType) and function.__module__.startswith(AGGREGATES):
        return _compiled(function.__module__, function)
    return CHECKED[value] if value is abs or value is int else value


def _are_integers(*given) -> bool:
    """Whether int64 is what these make. Unsigned ones of 64 bits wrap elsewhere, and are refused."""
    for each in given:
        if isinstance(each, types.Integer) and not each.signed and each.bitwidth == BITS:
            raise TypingError("an aggregate's integers are signed, of at most 64 bits")
    return all(isinstance(each, (types.Integer, types.Boolean)) for each in given)


def _with_overflow(instruction: str) -> Callable:
    @intrinsic
    def operation(typingctx, left, right):
        def codegen(context, builder, signature, arguments):
            found = getattr(builder, instruction)(*arguments)
            both = [builder.extract_value(found, place) for place in (0, 1)]
            return context.make_tuple(builder, signature.return_type, both)

        return types.Tuple((types.int64, types.boolean))(types.int64, types.int64), codegen

    return operation


_add, _subtract, _multiply = map(_with_overflow, ("sadd_with_overflow", "ssub_with_overflow", "smul_with_overflow"))


def whole_sum(a, b):
    found, is_beyond = _add(np.int64(a), np.int64(b))
    if is_beyond:
        raise OverflowError(BEYOND)
    return found


def whole_difference(a, b):
    found, is_beyond = _subtract(np.int64(a), np.int64(b))
    if is_beyond:
        raise OverflowError(BEYOND)
    return found


def whole_product(a, b):
    found, is_beyond = _multiply(np.int64(a), np.int64(b))
    if is_beyond:
        raise OverflowError(BEYOND)
    return found


def whole_quotient(a, b):
    if b == 0 or (a == SMALLEST and b == -1):
        raise OverflowError(BEYOND)
    return np.int64(a) // np.int64(b)


def whole_remainder(a, b):
    if b == 0:
        raise OverflowError(BEYOND)
    # The processor divides, and what it can't divide ends the process.
    return np.int64(0) if b == -1 else np.int64(a) % np.int64(b)


def whole_shifted(a, b):
    if b < 0 or b >= BITS or (np.int64(a) << b) >> b != a:
        raise OverflowError(BEYOND)
    return np.int64(a) << b


def whole_power(a, b):
    if b < 0:
        raise OverflowError(BEYOND)
    found, factor, left, is_beyond = np.int64(1), np.int64(a), np.int64(b), False
    while left > 0 and not is_beyond:
        if left & 1 == 1:
            found, is_beyond = _multiply(found, factor)
        left >>= 1
        if left > 0 and not is_beyond:
            factor, is_beyond = _multiply(factor, factor)
    if is_beyond:
        raise OverflowError(BEYOND)
    return found


def whole_negative(a):
    if a == SMALLEST:
        raise OverflowError(BEYOND)
    return -np.int64(a)


def whole_magnitude(a):
    if a == SMALLEST:
        raise OverflowError(BEYOND)
    return abs(np.int64(a))


def whole_of_float(a):
    if not -9.223372036854775808e18 <= a < 9.223372036854775808e18:  # nor is NaN
        raise OverflowError(BEYOND)
    return int(a)


def _binary(plain_one: Callable, whole: Callable) -> Callable:
    """What stands in for an operator: checked on integers, itself on all else."""

    def stand_in(a, b):
        return plain_one(a, b)

    def on_others(a, b):
        return plain_one(a, b)

    on_others.__qualname__ = f"{whole.__name__}_of_others"  # Numba's cache links by name
    overload(stand_in, strict=False)(lambda a, b: whole if _are_integers(a, b) else on_others)
    return stand_in


def _unary(plain_one: Callable, whole: Callable, is_checked: Callable) -> Callable:
    def stand_in(a):
        return plain_one(a)

    def on_others(a):
        return plain_one(a)

    on_others.__qualname__ = f"{whole.__name__}_of_others"
    overload(stand_in, strict=False)(lambda a: whole if is_checked(a) else on_others)
    return stand_in


def _is_float(given) -> bool:
    return isinstance(given, types.Float)


CHECKED = {
    operator.add: _binary(operator.add, whole_sum),
    operator.sub: _binary(operator.sub, whole_difference),
    operator.mul: _binary(operator.mul, whole_product),
    operator.floordiv: _binary(operator.floordiv, whole_quotient),
    operator.mod: _binary(operator.mod, whole_remainder),
    operator.lshift: _binary(operator.lshift, whole_shifted),
    operator.pow: _binary(operator.pow, whole_power),
    operator.neg: _unary(operator.neg, whole_negative, _are_integers),
    abs: _unary(abs, whole_magnitude, _are_integers),
    int: _unary(int, whole_of_float, _is_float),
}
