"""A query's definition as the ledger keeps it, since files change: Python's own text of it, and back.

Of the text only calls of the query language are made, each by its name: a user who can write to the lake runs
nothing by it.
"""

import ast
import datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from windrow.schemas.aggregate import Aggregate
from windrow.schemas.errors import WrongParameter
from windrow.schemas.model import HeavyCall, Model
from windrow.schemas.query import Query
from windrow.schemas.windows import every_kind

ASKED = "asked"
"""In the inputs of an audit."""
_OF_TIME = (datetime.timedelta, datetime.datetime, datetime.date, datetime.time)


def text_of(query: Query) -> str:
    return repr(query)


def query_of(text: str) -> Query | None:
    """None for what is no definition of today's query language."""
    try:
        found = _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, KeyError, TypeError, ValueError, WrongParameter):
        return None
    return found if isinstance(found, Query) else None


@cache
def _known() -> dict[str, Any]:
    classes = {each.__name__: each for each in (Query, Model, Aggregate, HeavyCall, *every_kind())}
    times = {f"datetime.{each.__name__}": each for each in _OF_TIME}
    return {
        **classes,
        **times,
        "datetime.timezone.utc": datetime.UTC,
        "zoneinfo.ZoneInfo": ZoneInfo,
        "frozenset": frozenset,
    }


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value):
            return value
        case ast.UnaryOp(ast.USub(), operand):
            return -_value(operand)
        case ast.Tuple(parts):
            return tuple(map(_value, parts))
        case ast.List(parts):
            return [*map(_value, parts)]
        case ast.Set(parts):
            return {*map(_value, parts)}
        case ast.Dict(names, values):
            return {_value(name): _value(value) for name, value in zip(names, values, strict=True) if name is not None}
        case ast.Call(called, arguments, named):
            return _known()[ast.unparse(called)](
                *map(_value, arguments), **{str(n.arg): _value(n.value) for n in named}
            )
        case _:
            return _known()[ast.unparse(node)]
