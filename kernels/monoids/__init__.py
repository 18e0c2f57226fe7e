"""Aggregates: one file in this folder = one aggregate, named as the file; found by looking, listed nowhere.

A file defines `MONOIDS`, a tuple of Monoid, Sketch or OrderStatistic (kernels/monoid.py), at most one per column type.
Null values are skipped by the kernels and never reach `lift`. Files whose name starts with an underscore are shared by
several aggregates.
"""

import functools
from collections.abc import Callable, Iterable
from contextlib import suppress

from windrow.kernels.monoid import SECOND, SHARE, AggregateSpec, AnyAggregate, Monoid, OrderStatistic, Parameter
from windrow.kernels.monoids._names_elsewhere import named_elsewhere
from windrow.kernels.runtime.cache import AGGREGATES, digest_of
from windrow.kernels.runtime.found import first_paragraph, names_in
from windrow.schemas.errors import BrokenDefinition, NotServed, WrongParameter
from windrow.schemas.mistakes import load
from windrow.schemas.project import beside

__path__ = beside(__path__, "aggregates")

COMMON = ("count", "sum", "min", "max", "mean")
"""Those that every set-up compiles; others are compiled when a query first asks for them."""


def functions() -> list[str]:
    """Names of the aggregates in the folder, sorted. O(files)."""
    return names_in(__path__)


def describe(function: str) -> str:
    """What a function is and when it is null: the first paragraph of its file."""
    return first_paragraph(module_of(function))


@functools.cache
def monoids_of(function: str) -> dict[str, AnyAggregate]:
    """The monoids of a file by names of their own, by what they take: `sum_int64`, `sum_float64`,
    `count`. Other files, or others of the file, change none of them. Integers of one that is `checked` can't wrap.
    NotServed for a function without a file, BrokenDefinition for a file that can't be loaded."""
    from windrow.kernels.overflow import checked  # set-up's Python, which has no Numba, asks for names only

    named = {_name(function, monoid): monoid for monoid in as_written(function)}
    watched = {name for name, monoid in named.items() if isinstance(monoid, Monoid) and monoid.checked}
    return {name: checked(name, monoid) if name in watched else monoid for name, monoid in named.items()}


def as_written(function: str) -> tuple[AnyAggregate, ...]:
    """The monoids as the file has them. Raises as monoids_of. O(length of the file), once."""
    if function not in functions():
        raise NotServed("aggregate", function, functions(), named_elsewhere(function))
    with suppress(SyntaxError):  # to be found again right after
        digest_of(AGGREGATES, function)  # before the file is imported: this is what the compiled code is of
    return load(module_of(function), "MONOIDS", tuple, _validate)


def module_of(function: str) -> str:
    """The module of an aggregate's file."""
    return f"{__name__}.{function}"


def _validate(monoids: tuple[AnyAggregate, ...]) -> None:
    for each in monoids:
        if not isinstance(each, AnyAggregate):
            raise WrongParameter("MONOIDS", each, "a tuple of Monoid(…), Sketch(…) and OrderStatistic(…)")


def _name(function: str, monoid: AnyAggregate) -> str:
    return "_".join(filter(None, (function, monoid.column_types[0], *monoid.second_types[:1])))


def every_monoid() -> list[tuple[str, AnyAggregate]]:
    """(function, monoid) of everything in the folder that isn't broken. Loads every file."""
    found = []
    for function in functions():
        with suppress(BrokenDefinition):
            found += [(function, monoid) for monoid in monoids_of(function).values()]
    return found


def answered_by_states() -> list[str]:
    """Names of the aggregates that aren't order statistics alone, sorted. Loads every file."""
    return sorted({function for function, found in every_monoid() if not isinstance(found, OrderStatistic)})


def those_with(has: Callable[[AnyAggregate], bool]) -> list[str]:
    """Names of the aggregates of which that is so, sorted; with the types of their columns where it isn't so of all."""
    found = []
    for name in functions():
        of_name = [monoid for each, monoid in every_monoid() if each == name and SHARE not in monoid.second_types]
        those = [monoid for monoid in of_name if has(monoid)]
        types = [type_ for monoid in those for type_ in monoid.column_types]
        if types:
            found.append(name if those == of_name else _with_types(name, types))
    return found


def has_inverse(monoid: AnyAggregate) -> bool:
    """Whether a part can be taken away again, exactly."""
    return monoid.inverse is not None


def keeps_nulls(spec: AggregateSpec, monoid: AnyAggregate) -> bool:
    """Whether to an aggregate with these parameters a null is something: its state is another than without it."""
    if not isinstance(monoid, Monoid) or not monoid.takes_nulls:
        return False
    from windrow.kernels.runtime.memory import as_word  # as above

    values = parameter_values(spec, monoid) if monoid.lift_takes_parameters else ()
    parameters = [as_word(value) if isinstance(value, float) else value for value in values]
    time, second = [0] * monoid.takes_time, [0] * bool(monoid.second_types)
    return bool(monoid.lift(*time, 0, False, *second, *parameters) != monoid.identity())


def in_words(spec: AggregateSpec) -> str:
    """An aggregate with what it is of, as `those_with` names it."""
    if spec.second_type == SHARE:
        return f"{spec.function} of shares"
    return spec.function if spec.column is None else _with_types(spec.function, [spec.column_type])


def _with_types(function: str, types: Iterable[str]) -> str:
    return f"{function} of {' or '.join(dict.fromkeys(each or 'events' for each in types))}"


def find_monoid(spec: AggregateSpec) -> tuple[str, AnyAggregate]:
    """Name and monoid of an aggregate. Raises NotServed for an unknown function, WrongParameter for a wrong column or
    parameter. O(monoids of the file)."""
    fitting = monoids_of(spec.function)
    for column, index, type_, none, types_of in (
        ("column", spec.column, spec.column_type, "no column", lambda monoid: monoid.column_types),
        ("second column", spec.second, spec.second_type, "none", lambda monoid: monoid.second_types or ("",)),
    ):
        given = "" if index is None else type_
        served = dict.fromkeys(each or none for monoid in fitting.values() for each in types_of(monoid))
        fitting = {name: monoid for name, monoid in fitting.items() if given in types_of(monoid)}
        if not fitting:
            raise WrongParameter(f"{column} of {spec.function}", given or none, ", ".join(served))
    name, found = next(iter(fitting.items()))
    parameter_values(spec, found)
    return name, found


def parameter_values(spec: AggregateSpec, monoid: AnyAggregate) -> tuple[int | float, ...]:
    """A value per parameter of the monoid, defaults where the query gives none. WrongParameter for an unknown one
    and for a value that isn't allowed. O(parameters)."""
    given = dict(spec.parameters)
    known = [parameter.name for parameter in monoid.parameters]
    for name in given:
        if name not in known:
            raise WrongParameter(f"parameters of {spec.function}", name, ", ".join(known) or "none", known)
    return tuple(
        _checked(spec.function, parameter, given.get(parameter.name, parameter.default))
        for parameter in monoid.parameters
    )


def _checked(function: str, parameter: Parameter, value) -> int | float:
    name, default, least, most, step = parameter
    kind = type(default)
    is_kind = isinstance(value, (int, float) if kind is float else int) and isinstance(value, bool) == (kind is bool)
    if not is_kind or not least <= value <= most or (step and value % step):
        what = "a number" if kind is float else f"a multiple of {step}" if step else "an integer"
        truths = " or ".join(str(each) for each in (False, True) if least <= each <= most)
        allowed = truths if kind is bool else f"{what} from {least} to {most}"
        raise WrongParameter(f"{name} of {function}", value, allowed)
    return kind(value)


def output_type(spec: AggregateSpec) -> str:
    """Column type of the aggregate's result. Raises as find_monoid. O(monoids of the file)."""
    named = find_monoid(spec)[1].output_type
    return spec.second_type if named == SECOND else named or spec.column_type
