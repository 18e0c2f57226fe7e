"""The value columns of a farm: by name, whatever their order and whichever others there are.

a function reads value, weight      columns=("x", "weight", "value")      kept in memory as value, weight, x
"""

from typing import NamedTuple

from kernels.farm.functions import function, name_of
from kernels.farm.functions._function import HeavyFunction
from schemas.errors import WrongParameter


class NamedColumns(NamedTuple):
    """names: as values are given; order: places among these, as they are kept: first those that the function reads, in
    its order; read: how many these are."""

    names: tuple[str, ...]
    order: tuple[int, ...]
    read: int

    def kept(self) -> tuple[str, ...]:
        """The names as they are kept."""
        return tuple(self.names[place] for place in self.order)


def columns_of(name: str | HeavyFunction, given: object) -> NamedColumns:
    """The columns of those names; those that the function needs unless given. WrongParameter where it lacks one."""
    takes = function(name).columns
    least = len(takes) - len(function(name).optional)
    names = takes[:least] if given is None else _names(given)
    read = tuple(each for each in takes if each in names)
    if len(read) < least or read != takes[: len(read)]:
        needed = ", ".join(takes[: max(least, 1 + takes.index(read[-1]) if read else 0)])
        raise WrongParameter("columns", names, f"names of columns with {needed} of {name_of(name)} among them")
    others = tuple(each for each in names if each not in read)
    return NamedColumns(names, tuple(names.index(each) for each in read + others), len(read))


def _names(given: object) -> tuple[str, ...]:
    names = tuple(given) if isinstance(given, tuple | list) else ()
    if len(set(map(str, names))) < len(names) or not all(isinstance(each, str) for each in names) or not names:
        raise WrongParameter("columns", given, "a tuple of names, each of them once")
    return names
