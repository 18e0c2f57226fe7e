"""Lines of JSON to the fields of a line: the members of an object, as texts, so that every layout's function reads
fields alike, whatever the lines are written in.
"""

import json
import re
from typing import NoReturn

_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # no table could hold it: NUL, and halves of UTF-16 pairs


def json_fields(text: str, members: tuple[str, ...]) -> list[str]:
    """The text of each of these members, in their order: a number as it is written, true and false so, and "" for null
    or a member that isn't there. A member within another object is named with a dot, `rider.id`.

    ValueError for a line that isn't an object, an object that has a member twice, a list or object where a field is
    wanted, and texts that no table holds.
    """
    found = json_object(text)
    return [_field(found, member) for member in members]


def json_object(text: str) -> dict:
    """The line's object, numbers in it as they are written; ValueError where it is none."""
    try:
        found = json.loads(
            text.removeprefix("\ufeff"),
            parse_int=str,
            parse_float=str,
            parse_constant=_refuse_constant,
            object_pairs_hook=_object,
        )
    except RecursionError:
        raise ValueError("the line's objects or lists are too deep in each other") from None
    if not isinstance(found, dict):
        raise ValueError(f"no JSON object, but {_kind(found)}")
    return found


def _field(found: dict, member: str) -> str:
    value: object = found
    for name in member.split("."):
        if value is None:
            break
        if not isinstance(value, dict):
            raise ValueError(f"{member} is not there: what should hold {name!r} is {_kind(value)}")
        value = value.get(name)
    return _text(member, value)


def _text(member: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        raise ValueError(f"{member} is {_kind(value)}; a field is a text, a number, true, false or null")
    if _NO_TEXT.search(value):
        raise ValueError(f"{member} holds a NUL or half of a UTF-16 pair")
    return value


def _object(pairs: list[tuple[str, object]]) -> dict:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the member {twice[:60]!r} twice")
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _kind(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return "null" if value is None else "a single value"
