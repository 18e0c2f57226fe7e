"""Heavy functions: one file in this folder = one function, named as the file; found by looking, listed nowhere.

A file defines `FUNCTION`, a HeavyFunction (_function.py). Files whose name starts with an underscore are shared.
"""

import functools
import re
from collections.abc import Mapping

from numba.core.errors import NumbaError

from windrow.kernels.farm.content import RAISED, Result, WindowContent
from windrow.kernels.farm.functions._function import HeavyFunction, Parameter, Parameters, Values
from windrow.kernels.runtime.addresses import bound_to
from windrow.kernels.runtime.cache import HEAVY_FUNCTIONS, digest_of, folders_of
from windrow.kernels.runtime.fields import Address
from windrow.kernels.runtime.found import first_paragraph, names_in, not_compiled, require_known
from windrow.kernels.runtime.memory import inner
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.runtime.tables import NOT_KEPT, compiled_table
from windrow.schemas.errors import NotServed, WindrowError, WrongParameter
from windrow.schemas.mistakes import broken, load
from windrow.schemas.project import beside

__path__ = beside(__path__, "functions")

MOST_PARAMETERS = 64
_NAME = re.compile(r"[a-z][a-z0-9_]*")


class HeavyOperations(Struct):
    """compute(content, result) → status."""

    compute: Operation(Address, Address)


def functions() -> list[str]:
    return names_in(__path__)


def describe(name: str) -> str:
    """The first paragraph of a function's file."""
    return first_paragraph(module_of(name))


def require_function(name: object) -> None:
    """NotServed for what is neither a HeavyFunction nor the name of a file."""
    if not isinstance(name, HeavyFunction):
        require_known("function", name, functions())


@functools.cache
def function(name: str | HeavyFunction) -> HeavyFunction:
    """What a file says. NotServed for a name without a file, BrokenDefinition for a file that can't be loaded."""
    if isinstance(name, HeavyFunction):
        _validate(name)
        return name
    if name not in functions():
        raise NotServed("function", name, functions())
    digest_of(HEAVY_FUNCTIONS, name)  # before the file is imported: this is what the compiled code is of
    return load(module_of(name), "FUNCTION", HeavyFunction, _validate)


def _validate(function: HeavyFunction) -> None:
    for place, parameter in enumerate(function.parameters):
        last = place == len(function.parameters) - 1
        if isinstance(parameter, Parameters) and not last:
            raise WrongParameter("parameters", parameter.name, "Parameters(…) as the last one only")


def try_function(name: str) -> None:
    """BrokenDefinition where the file can't be loaded, or its outputs or its scratch memory are not what they must be
    for the parameters' defaults. Nothing is compiled."""
    made, values = function(name), parameter_values(name, {})
    output_names(name, values)
    try:
        room = made.scratch(values)
        if len(room) != 2 or not all(isinstance(each, int) and each >= 0 for each in room):
            raise WrongParameter("scratch", room, "(floats for each tuple, floats more)")
    except Exception as error:
        raise broken(module_of(name), error) from error


def output_names(name: str, values: Values) -> tuple[str, ...]:
    """BrokenDefinition where outputs can't be names of columns; WrongParameter as the file's own."""
    try:
        names = function(name).outputs(values)
        are_names = isinstance(names, tuple) and all(isinstance(each, str) and _NAME.fullmatch(each) for each in names)
        if not names or not are_names or len(set(names)) < len(names):
            raise broken(module_of(name), WrongParameter("outputs", names, "a tuple of lower-case names, each once"))
    except WindrowError:
        raise
    except Exception as error:
        raise broken(module_of(name), error) from error
    return names


def module_of(name: str) -> str:
    return f"{__name__}.{name}"


def name_of(given: str | HeavyFunction) -> str:
    """What messages call a function."""
    return given.compute.__module__.rpartition(".")[2] if isinstance(given, HeavyFunction) else given


@functools.cache
def operations(given: str | HeavyFunction) -> HeavyOperations:
    """Its address: compiled now, alone, or loaded from the disk cache, which one without a file of its own isn't kept
    in. BrokenDefinition where Numba can't compile it."""
    name, is_file = name_of(given), isinstance(given, str)

    def compute(content: WindowContent, result: Result):
        try:
            return computed(content, result) | 0  # noqa: F821  neither nothing nor a float is a status
        except Exception:
            return RAISED

    guarded = bound_to(f"farm_{name}", compute, {"computed": inner(function(given).compute), "RAISED": RAISED})
    folders = folders_of(HEAVY_FUNCTIONS, name) if is_file else NOT_KEPT
    try:
        return compiled_table(HeavyOperations, f"farm_{name}", {"compute": guarded}, folders)
    except NumbaError as error:
        raise not_compiled(function(given).compute.__module__, str(error)) from error


def parameter_values(chosen: str | HeavyFunction, given: Mapping[str, object]) -> Values:
    """A float for each parameter, in their order, with defaults. WrongParameter for one that isn't allowed."""
    if not isinstance(given, Mapping):
        raise WrongParameter("parameters", given, "a mapping of names to values")
    name, known = name_of(chosen), {parameter.name: parameter for parameter in function(chosen).parameters}
    for each in given:
        if each not in known:
            raise WrongParameter(f"parameters of {name}", each, ", ".join(known) or "none", known)
    return tuple(value for each in known.values() for value in _checked(name, each, given.get(each.name, each.default)))


def _checked(name: str, parameter: Parameter | Parameters, value: object) -> list[float]:
    several = isinstance(parameter, Parameters)
    kind = float if several else type(parameter.default)
    numbers = list(value) if several and isinstance(value, (tuple, list)) else [value]
    kinds = (int, float) if kind is float else (int,)
    are_numbers = all(isinstance(each, kinds) and not isinstance(each, bool) for each in numbers)
    fit = are_numbers and all(parameter.least <= each <= parameter.most for each in numbers)
    if not 0 < len(numbers) <= MOST_PARAMETERS or not fit:
        what = "numbers" if several else "a number" if kind is float else "an integer"
        allowed = f"{what} from {parameter.least} to {parameter.most}"
        raise WrongParameter(f"{parameter.name} of {name}", value, allowed)
    return [float(each) for each in numbers]
