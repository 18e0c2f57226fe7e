"""Aggregates whose integers can't wrap: what `+`, `word * word` or `-x` would take beyond int64 makes a failed state,
and `lower` of it, or of any state made from it, says so. A division by zero does the same.

    state of the monoid's own words, 1 if it failed else 0

People write an aggregate as plain Python, in which integers have no end; compiled, they wrap without a word. That they
call functions for sums and products was thought of: the one that is forgotten is published. So each operator is
replaced before Numba types it, in the monoid's functions and in all of kernels/monoids that these call. Aggregates
that are known to stay within int64 say `checked=False`, and pay nothing.

An int64 that wrapped is beside the true value by 2**64 at least, and the same operation on floats is not: neither needs
an instruction of its own.

What isn't watched: arithmetic of libraries, such as NumPy's, and a Sketch, which works on memory.
"""

import operator
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType

import numpy as np
from numba import config, njit, types
from numba.core.errors import TypingError
from numba.extending import overload, register_jitable

from windrow.kernels.monoid import BEYOND_INT64, Monoid
from windrow.kernels.runtime.addresses import bound_to, plain
from windrow.kernels.runtime.cache import AGGREGATES
from windrow.kernels.runtime.fields import LARGEST, SMALLEST
from windrow.kernels.runtime.numba_names import (
    CompilerBase,
    DefaultPassBuilder,
    FunctionPass,
    IRProcessing,
    ir,
    register_pass,
)

BEYOND = "beyond int64"


def checked(name: str, monoid: Monoid) -> Monoid:
    """The monoid with a word more, of states that failed. `name`: of no other monoid."""
    identity = _compiled(f"{name}.watched", monoid.identity)
    lift_of = _tried(name, monoid.lift, identity)
    lower_of = _tried(name, monoid.lower, _no_answer)

    def checked_identity():
        return identity() + (0,)

    def checked_lift(*arguments):
        return lift_of(arguments)

    def checked_lower(state, *parameters):
        return _no_answer() if state[-1] != 0 else lower_of((state[:-1],) + parameters)[:-1]

    def of_two(function: Callable) -> Callable:
        """`combine` or `inverse`. A state that failed stays one."""
        tried = _tried(name, function, identity)

        def checked_pair(first, second):
            if first[-1] != 0 or second[-1] != 0:
                return identity() + (1,)
            return tried((first[:-1], second[:-1]))

        return checked_pair

    own = monoid.failure
    return replace(
        monoid,
        words=monoid.words + 1,
        identity=checked_identity,
        lift=checked_lift,
        combine=of_two(monoid.combine),
        lower=checked_lower,
        inverse=monoid.inverse and of_two(monoid.inverse),
        failure=BEYOND_INT64 if own == BEYOND_INT64 else f"{own}; or a number on the way {BEYOND_INT64}",
    )


@register_jitable
def _no_answer():
    return (0, False, True)


def _tried(name: str, function: Callable, nothing: Callable) -> Callable:
    """(arguments) → what the function gives, and 0 behind it; or `nothing` and 1, where it raises."""
    function, owner = _compiled(f"{name}.watched", function), f"{name}.{plain(function).__name__}"

    def given(arguments):  # Numba takes no stars within `try`
        return function(*arguments)

    given = njit(bound_to(owner, given))

    def tried(arguments):
        found, failed = nothing(), 1
        try:
            found, failed = given(arguments), 0
        except Exception:
            failed = 1
        return found + (failed,)

    return njit(bound_to(owner, tried))


def _compiled(owner: str, function: Callable) -> Callable:
    if config.DISABLE_JIT:
        return _bounded(function)
    # Python's division: by zero it raises. NumPy's gives 0 for integers.
    return njit(nogil=True, error_model="python", pipeline_class=_Checked)(bound_to(owner, function))


def _bounded(function: Callable) -> Callable:
    """Plain Python's integers have no end: here it is."""

    def bounded(*arguments):
        found = function(*arguments)
        if not all(SMALLEST <= word <= LARGEST for word in found):
            raise OverflowError(BEYOND)
        return found

    return bounded


@register_jitable
def _exact(found, real):
    """An int64 by its bits, unless it is far from what floats say."""
    whole = np.int64(found)
    if not abs(real - float(whole)) < 2.0**62:
        raise OverflowError(BEYOND)
    return whole


@register_jitable
def _bits(a):
    return np.uint64(np.int64(a))  # signed ones don't wrap, as LLVM sees it


@register_jitable
def _real(a):
    return float(np.int64(a))


@register_jitable
def whole_sum(a, b):
    return _exact(_bits(a) + _bits(b), _real(a) + _real(b))


@register_jitable
def whole_difference(a, b):
    return _exact(_bits(a) - _bits(b), _real(a) - _real(b))


def whole_product(a, b):
    return _exact(_bits(a) * _bits(b), _real(a) * _real(b))


def whole_quotient(a, b):
    # The processor divides, and what it can't divide ends the process; a division by zero raises, as Python's does.
    return whole_difference(0, a) if b == -1 else np.int64(a) // np.int64(b)


def whole_remainder(a, b):
    return np.int64(0) if b == -1 else np.int64(a) % np.int64(b)


def whole_shifted(a, b):
    if b < 0:
        raise OverflowError(BEYOND)
    return _exact(_bits(a) << _bits(b & 63), _real(a) * 2.0 ** _real(b))


def whole_power(a, b):
    if b < 0:
        raise OverflowError(BEYOND)
    return _exact(_bits(a) ** _bits(b), _real(a) ** _real(b))


def whole_negative(a):
    return whole_difference(0, a)


def whole_magnitude(a):
    return whole_difference(0, a) if a < 0 else np.int64(a)


def whole_of_float(a):
    if not -9.223372036854775808e18 <= a < 9.223372036854775808e18:  # nor is NaN
        raise OverflowError(BEYOND)
    return int(a)


def _are_integers(*given) -> bool:
    """Whether int64 is what these make. Unsigned ones of 64 bits wrap elsewhere, and are refused."""
    if types.uint64 in given:
        raise TypingError("an aggregate's integers are signed, of at most 64 bits")
    return all(isinstance(each, (types.Integer, types.Boolean)) for each in given)


def _stand_in(plain_one: Callable, whole: Callable) -> Callable:
    """What stands in for an operator: on integers exact or OverflowError, itself on all else; for `int`, on floats."""
    # No stars: an operator's operands aren't packed.
    others = (lambda a: plain_one(a)) if whole.__code__.co_argcount == 1 else lambda a, b: plain_one(a, b)
    is_watched = _are_integers if plain_one is not int else lambda given: isinstance(given, types.Float)
    others.__qualname__ = f"{whole.__name__}_of_others"  # Numba's cache links by name
    stand_in = bound_to(whole.__name__, others)
    overload(stand_in, strict=False)(lambda *given: whole if is_watched(*given) else others)
    return stand_in


WHOLE = {
    operator.add: whole_sum,
    operator.sub: whole_difference,
    operator.mul: whole_product,
    operator.floordiv: whole_quotient,
    operator.mod: whole_remainder,
    operator.lshift: whole_shifted,
    operator.pow: whole_power,
    operator.neg: whole_negative,
    abs: whole_magnitude,
    int: whole_of_float,
}
CHECKED = {operation: _stand_in(operation, whole) for operation, whole in WHOLE.items()}


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
    if isinstance(function, FunctionType) and function.__module__.startswith(f"{AGGREGATES}."):
        return _compiled(function.__module__, function)
    return CHECKED[value] if value is abs or value is int else value
