"""Loads the file of one definition. It is other people's code and may raise anything: whatever is wrong with it comes
out as BrokenDefinition, with file and line, so that the others go on."""

from collections.abc import Callable
from importlib import import_module
from typing import TypeVar

from schemas.errors import WrongParameter
from schemas.mistakes import broken
from schemas.spelling import did_you_mean

T = TypeVar("T")


def load(module: str, attribute: str, kind: type[T], validate: Callable[[T], object]) -> T:
    """What a module has under that name, of that kind and valid; else BrokenDefinition."""
    try:
        found = _found(module, attribute, kind)
        validate(found)
    except Exception as error:
        raise broken(module, error) from error
    return found


def _found(module: str, attribute: str, kind: type[T]) -> T:
    names = vars(import_module(module))
    if attribute not in names:
        meant = did_you_mean(attribute, [name for name in names if name.isupper()])
        raise WrongParameter("the definition", attribute, f"{attribute} = {kind.__name__}(…), which isn't there{meant}")
    if not isinstance(names[attribute], kind):
        raise WrongParameter(attribute, names[attribute], f"a {kind.__name__}")
    return names[attribute]
