"""What whole columns are asked with: tuples whose fields must be what they say, and names that must be known."""

import collections.abc
import functools
import types
from collections.abc import Sequence
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from schemas.errors import NotServed, WrongParameter

_hints = functools.cache(get_type_hints)


def require_known(what: str, name: object, known: Sequence[str]) -> None:
    """NotServed for a name that isn't known, or is none."""
    if not isinstance(name, str) or name not in known:
        raise NotServed(what, name, tuple(known))


def require_kind(name: str, given: object, kind: type) -> None:
    """WrongParameter unless it is a tuple of that kind, with fields as its annotations have them; arrays apart, which
    columns.py looks at."""
    if not isinstance(given, kind):
        raise WrongParameter(name, given, f"a {kind.__name__}")
    for field, hint in _hints(kind).items():
        value = getattr(given, field)
        if not _is_of(value, hint):
            raise WrongParameter(f"{field} of {name}", value, getattr(hint, "__name__", str(hint)))


def _is_of(value: object, hint: Any) -> bool:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_is_of(value, part) for part in parts)
    if origin is tuple:
        each = [parts[0]] * len(value) if isinstance(value, tuple) and parts[-1:] == (...,) else list(parts)
        return isinstance(value, tuple) and len(value) == len(each) and all(map(_is_of, value, each))
    if hint is np.ndarray or hint is Any:
        return True
    if hint in (int, float):
        return isinstance(value, (int, np.integer) if hint is int else (int, float)) and not isinstance(
            value, bool | np.timedelta64
        )
    if origin is collections.abc.Callable:
        return callable(value)
    if hasattr(hint, "_fields"):
        return isinstance(value, hint) and all(_is_of(getattr(value, at), of) for at, of in _hints(hint).items())
    return isinstance(value, origin or hint)
