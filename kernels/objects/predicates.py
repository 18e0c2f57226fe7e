"""A user's predicate over (total, prefix) as a function by address: what prefix searches and slide policies ask.

    predicate = Predicate("policy", lambda total, prefix: prefix["trips"] > 0.5 * total["trips"], names, plan, lowered)
    predicate.search(ask, kernel.first_where, tree, into)

The function is written for two dicts of outputs, None for a null. Numba compiles it, and `total["trips"]` then lowers
that one aggregate of the state and no other; globals and what it closes over count as constants, and plain functions
among them are compiled with it. What Numba can't compile (a list that is
appended to, say) is refused, with why: asked in Python, each question would take microseconds. Without the JIT it is
asked in Python, whatever it does.
"""

import functools
import inspect
import operator
import weakref
from collections.abc import Callable, Hashable, Mapping
from types import CellType, CodeType, FunctionType, ModuleType

from numba import cfunc, config, types
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target
from numba.extending import overload

from windrow.kernels.runtime.addresses import place_of
from windrow.kernels.runtime.fields import Address, Inline, Ref, StructType
from windrow.kernels.runtime.memory import as_float, inner
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.states import lower
from windrow.kernels.states.layout import StatePlan
from windrow.kernels.states.state_plan import Plan
from windrow.schemas.errors import BadInput, WrongParameter

FAILED = -1
"""What a predicate returns instead of 1 or 0 where it failed: the search is to stop at once and find nothing."""
ALLOWED = (
    "a function of (total, prefix) that returns true or false, and that Numba can compile: it reads outputs by name "
    "(total['sum']; None for a null), numbers and plain functions around it as they are when it is given, and "
    "calculates; it can't change what is outside"
)
MOST_LETTERS = 600  # of the reason that Numba gives, which can be pages
_asks: dict[tuple, Callable] = {}  # by what they compute; dropping a compiled function frees its code


class Outputs(Struct):
    """What a compiled predicate sees of a state: outputs["sum"]."""

    plan: Ref(StatePlan)
    state: Address


class Question(Struct):
    """The parameters of a predicate of this file: what it is asked of."""

    total: Inline(Outputs)
    prefix: Inline(Outputs)


class Predicate:
    """function(total, prefix) → bool at `address`, to be called as predicate(total, prefix, parameters) → 1, 0 or
    FAILED, where the first two are states and `parameters` is what stands here."""

    def __init__(
        self,
        parameter: str,
        function: Callable[[Mapping, Mapping], bool],
        names: tuple[str, ...],
        plan: Plan,
        lowered: Callable[[int], Mapping],
    ):
        """parameter: what the function is called in a refusal; names: of the plan's outputs; lowered: method that gives
        the outputs of the state at an address. WrongParameter for what can't be compiled."""
        if not callable(function):
            raise WrongParameter(parameter, function, ALLOWED)
        self._function, self._lowered = function, weakref.WeakMethod(lowered)
        self._question = Question.make()
        self._question.total.plan = self._question.prefix.plan = plan.address
        self._error = None
        self.parameters = self._question.address
        outputs = _outputs_type(names, tuple(plan.outputs.tolist()), plan.output_types)
        self.address = place_of(self._ask_plainly) if config.DISABLE_JIT else _compile(parameter, function, outputs)

    def search(self, ask: Callable, *arguments):
        """ask(*arguments), which calls the predicate; raises what that raised."""
        self._error = None
        self._question.total.state = 0
        found = ask(*arguments)
        self.require_answers()
        return found

    def require_answers(self) -> None:
        """Raise what the predicate raised, if it did."""
        if self._error is not None:
            raise self._error
        if self._question.total.state != 0:
            self._raise_again()

    def _ask_plainly(self, total: int, prefix: int, parameters: int) -> int:
        """The same without the JIT."""
        try:
            return 1 if self._function(*map(self._lowered(), (total, prefix))) else 0
        except Exception as error:  # as in compiled code, the search ends first
            self._error = error
            return FAILED

    def _raise_again(self) -> None:
        """The compiled predicate failed without a word: in plain Python it has one."""
        outputs = [self._lowered()(each.state) for each in (self._question.total, self._question.prefix)]
        self._function(*outputs)
        raise BadInput(f"the predicate failed, compiled, on total {outputs[0]} and prefix {outputs[1]}")


_python_like = functools.partial(inner, error_model="python")
"""A division by zero fails, as in Python."""


def _with_helpers(function: Callable, made: dict) -> Callable:
    """The function with the plain functions that it knows by name compiled too, unless Numba knows them already."""
    if not isinstance(function, FunctionType) or function in made:
        return made.get(function, function)
    made[function] = function  # one that calls itself stays as it is, and is refused
    known = inspect.getclosurevars(function)
    cells = [CellType(_helper(value, made)) for value in known.nonlocals.values()]
    names = function.__globals__ | {name: _helper(value, made) for name, value in known.globals.items()}
    made[function] = FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, tuple(cells) or None
    )
    return made[function]


def _helper(value, made: dict):
    """What a function may call, or reads."""
    if not isinstance(value, FunctionType):
        return value
    cpu_target.typing_context.refresh()  # what modules told Numba since it last compiled: loaded code doesn't look
    try:
        cpu_target.typing_context.resolve_value_type(value)
    except ValueError:  # Numba doesn't know it
        return _python_like(_with_helpers(value, made))
    return value


def _compile(parameter: str, function: Callable, outputs: type[Outputs]) -> int:
    """The address of a predicate that reads such outputs."""
    try:
        reads = _reads(function, ())
        is_known = all(isinstance(each, Hashable) and not _has_functions_within(each) for each in reads)
        written = (outputs, *(reads if is_known else [object()]))
        if written not in _asks:
            _asks[written] = _compiled_ask(function, outputs)
        return _asks[written].address
    except (NumbaError, TypeError, ValueError) as refusal:  # of no function; of a variable that has no value yet
        why = " ".join(str(refusal).split())[:MOST_LETTERS]
        raise WrongParameter(parameter, function, f"{ALLOWED}; this one can't be compiled: {why}") from None


def _has_functions_within(value: object) -> bool:
    """Whether it is the code of a function with others within, and what those read is not known here."""
    return isinstance(value, CodeType) and any(isinstance(each, CodeType) for each in value.co_consts)


def _reads(function: Callable, before: tuple) -> tuple:
    """The code of a function, and the globals and closures that it reads, with their types: 1 isn't 1.0."""
    if not isinstance(function, FunctionType) or function in before:
        return (type(function), function)
    code, known = function.__code__, inspect.getclosurevars(function)
    values = [*known.globals.values(), *known.nonlocals.values()]
    values_of_modules = [
        getattr(module, name)
        for module in values
        if isinstance(module, ModuleType)
        for name in code.co_names
        if hasattr(module, name)
    ]
    inside = (*before, function)
    named = tuple((function.__kwdefaults__ or {}).items())
    return (
        code,
        function.__defaults__,
        named,
        *(each for value in values for each in _reads(value, inside)),
        *(part for value in values_of_modules for part in (type(value), value)),
    )


def _compiled_ask(function: Callable, outputs: type[Outputs]) -> Callable:
    predicate = _python_like(_with_helpers(function, {}))

    def ask(total, prefix, parameters):
        answer = FAILED
        seen = Question(parameters)
        try:
            answer = 1 if predicate(_seen(outputs, seen.total, total), _seen(outputs, seen.prefix, prefix)) else 0
        except Exception:  # search() raises it again
            answer = FAILED
        if answer != FAILED:
            seen.total.state = 0
        return answer

    return cfunc(types.int64(*[types.int64] * 3), error_model="numpy")(ask)


@inner
def _seen(kind, outputs, state):
    outputs.state = state
    return kind(outputs.address)


@functools.lru_cache(maxsize=256)
def _outputs_type(names: tuple[str, ...], slots: tuple[int, ...], kinds: tuple[str, ...]) -> type[Outputs]:
    """Outputs whose names mean something; every such class is a type to Numba."""
    named = dict(zip(names, zip(slots, kinds, strict=True), strict=True))
    name = f"Outputs_{_outputs_type.cache_info().misses}"
    return type(name, (Outputs,), {"__annotations__": {}, "__module__": __name__, "named": named})


@overload(operator.getitem, prefer_literal=True)
def _output(outputs, name):
    if not isinstance(outputs, StructType) or not issubclass(outputs.struct, Outputs):
        return None
    slot, kind = outputs.struct.named.get(getattr(name, "literal_value", None), (None, None))
    if slot is None:
        return None
    value = {"float64": as_float, "bool": bool}.get(kind, int)

    def lowered(outputs, name):
        word, is_null, failed = lower(outputs.plan, outputs.state, slot)
        if failed:
            raise ValueError
        return None if is_null else value(word)

    return lowered
