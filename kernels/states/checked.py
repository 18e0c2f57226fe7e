"""Aggregates whose integers can't wrap: what `+`, `word * word` or `-x` would take beyond int64 makes a failed state,
and `lower` of it, or of any state made from it, says so. A division by zero does the same.

    state of the monoid's own words, 1 if it failed else 0

People write an aggregate as plain Python, in which integers have no end; compiled, they wrap without a word. That they
call functions for sums and products was thought of: the one that is forgotten is published. So each operator is
replaced before Numba types it, in the monoid's functions and in all of kernels/monoids that these call. Aggregates
that are known to stay within int64 say `checked=False`, and pay nothing.

What isn't watched: arithmetic of libraries, such as NumPy's, and a Sketch, which works on memory.
"""

from collections.abc import Callable
from types import FunctionType

from numba import config, njit
from numba.core import ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.untyped_passes import IRProcessing

from kernels.monoid import Monoid
from kernels.runtime.addresses import bound_to, plain
from kernels.states.whole_numbers import BEYOND, CHECKED, LARGEST, SMALLEST

AGGREGATES = "kernels.monoids."


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
