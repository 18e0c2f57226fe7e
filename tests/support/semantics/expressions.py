"""Random expressions as texts in SQL, each with what it means of a row: plain Python, where None is null and numbers
are compared as fractions. Nothing here is shared with the repository's parser or evaluators.

A text has brackets where its operators would bind otherwise, and sometimes where they wouldn't.
"""

import math
import operator
from collections.abc import Callable
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any, NamedTuple

from hypothesis import strategies as st

LOOSEST, OR, AND, NOT, COMPARING, ADDING, MULTIPLYING, TIGHTEST = range(8)
SIGNS = {
    "=": operator.eq, "==": operator.eq, "<>": operator.ne, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


class Beyond(Exception):
    """An integer beyond int64, or a float that is no finite number."""


class Meant(NamedTuple):
    """of(row, lenient): the value; Beyond for what has none, but null of an integer beyond int64 where lenient."""

    text: str
    strength: int
    of: Callable[[dict, bool], Any]
    is_float: bool = False

    def within(self, least: int) -> str:
        """Its text as a part of what binds so tightly."""
        return self.text if self.strength >= least else f"({self.text})"


class Columns(NamedTuple):
    """Names of columns by their types, and the numbers that stand beside them."""

    whole: tuple[str, ...]
    real: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    truths: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    integers: tuple[int, ...] = (0, 1, 2, 3, -1, -7)
    floats: tuple[float, ...] = (0.0, 0.5, 1.5, 2.0, 1e3)


TEXTS = ("", "a", "b", "it's", "é", "\U0001f6b2", '"', "$x`\\!")
TIMES = {
    "TIMESTAMP '2024-03-01 10:00:00Z'": datetime(2024, 3, 1, 10, tzinfo=UTC),
    "timestamp '2024-03-01T12:00:00.5+02:00'": datetime(2024, 3, 1, 10, 0, 0, 500_000, tzinfo=UTC),
}
DAYS = {"DATE '2024-02-29'": date(2024, 2, 29), "date '1969-12-31'": date(1969, 12, 31)}


def column(name: str, is_float: bool = False) -> Meant:
    return Meant(name, TIGHTEST, lambda row, lenient: row[name], is_float)


def constant(text: str, value: object) -> Meant:
    return Meant(text, TIGHTEST, lambda row, lenient: value, isinstance(value, float))


NULL = st.sampled_from(("NULL", "null", "Null")).map(lambda text: constant(text, None))


def numbers(columns: Columns) -> st.SearchStrategy[Meant]:
    """Arithmetic over columns and constants."""
    leaves = st.one_of(
        st.sampled_from(columns.whole).map(column),
        *(st.sampled_from(columns.real).map(lambda name: column(name, is_float=True)) for _ in columns.real[:1]),
        st.sampled_from(columns.integers).map(lambda value: constant(str(value), value)),
        st.sampled_from(columns.floats).map(lambda value: constant(repr(value), value)),
        *([NULL] if len(columns.integers) > 6 else []),
    )
    return st.recursive(leaves, _arithmetic, max_leaves=6)


def _arithmetic(parts: st.SearchStrategy[Meant]) -> st.SearchStrategy[Meant]:
    return st.one_of(
        st.builds(_between, parts, st.sampled_from("+-*/"), parts), parts.map(_minus), parts.map(_in_brackets)
    )


def _in_brackets(part: Meant) -> Meant:
    return part._replace(text=f"( {part.text})", strength=TIGHTEST)


def _minus(part: Meant) -> Meant:
    return Meant(
        f"-{part.within(TIGHTEST)}",
        TIGHTEST,
        lambda row, lenient: _checked(_known(lambda x: -x, part.of(row, lenient)), lenient),
        part.is_float,
    )


def _between(left: Meant, sign: str, right: Meant) -> Meant:
    strength = ADDING if sign in "+-" else MULTIPLYING
    is_float = sign == "/" or left.is_float or right.is_float
    apply = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": lambda x, y: x / y if y else None}[sign]

    def of(row: dict, lenient: bool) -> Any:
        values = left.of(row, lenient), right.of(row, lenient)
        if is_float:
            values = tuple(None if each is None else float(each) for each in values)
        try:
            return _checked(_known(apply, *values), lenient)
        except OverflowError:
            raise Beyond from None

    return Meant(f"{left.within(strength)} {sign}{right.within(strength + 1)}", strength, of, is_float)


def _known(function: Callable, *values: Any) -> Any:
    return None if None in values else function(*values)


def _checked(value: float | None, lenient: bool) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise Beyond
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        if lenient:
            return None
        raise Beyond
    return value


def conditions(columns: Columns) -> st.SearchStrategy[Meant]:
    """Comparisons, and what NOT, AND and OR make of them."""
    texts = st.sampled_from(TEXTS).map(lambda text: constant("'" + text.replace("'", "''") + "'", text))
    kinds = [numbers(columns)]
    kinds += [st.sampled_from(columns.texts).map(column) | texts | NULL] if columns.texts else []
    for names, constants in ((columns.times, TIMES), (columns.days, DAYS)):
        known = st.sampled_from(tuple(constants.items())).map(lambda pair: constant(*pair))
        kinds += [st.sampled_from(names).map(column) | known] if names else []
    truths = st.sampled_from(("TRUE", "false")).map(lambda text: constant(text, text == "TRUE")) | NULL
    truths |= st.sampled_from(columns.truths).map(column) if columns.truths else st.nothing()
    compared = st.sampled_from(kinds).flatmap(_comparisons)
    return st.recursive(compared | compared | truths, _logic, max_leaves=5)


def _comparisons(values: st.SearchStrategy[Meant]) -> st.SearchStrategy[Meant]:
    return st.one_of(
        st.builds(compared, values, st.sampled_from(tuple(SIGNS)), values),
        st.builds(_one_of, values, st.lists(values, min_size=1, max_size=3), st.booleans()),
        st.builds(_is_between, values, values, values, st.booleans()),
        st.builds(_is_null, values, st.booleans()),
    )


def _exact(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode()
    return Fraction(value) if isinstance(value, int | float) else value


def _holds(sign: str, left: Any, right: Any) -> bool | None:
    return _known(lambda x, y: SIGNS[sign](_exact(x), _exact(y)), left, right)


def _and(truths: list[bool | None]) -> bool | None:
    if any(each is False for each in truths):
        return False
    return None if None in truths else True


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def compared(left: Meant, sign: str, right: Meant) -> Meant:
    return Meant(
        f"{left.within(ADDING)}{sign} {right.within(ADDING)}",
        COMPARING,
        lambda row, lenient: _holds(sign, left.of(row, lenient), right.of(row, lenient)),
    )


def _one_of(value: Meant, among: list[Meant], is_not: bool) -> Meant:
    def of(row: dict, lenient: bool) -> bool | None:
        asked = value.of(row, lenient)
        none = _and([_holds("<>", asked, each.of(row, lenient)) for each in among])
        return none if is_not else _not(none)

    listed = ", ".join(each.within(ADDING) for each in among)
    return Meant(f"{value.within(ADDING)} {'NOT in' if is_not else 'IN'} ({listed})", COMPARING, of)


def _is_between(value: Meant, least: Meant, most: Meant, is_not: bool) -> Meant:
    def of(row: dict, lenient: bool) -> bool | None:
        asked = value.of(row, lenient)
        inside = _and([_holds(">=", asked, least.of(row, lenient)), _holds("<=", asked, most.of(row, lenient))])
        return _not(inside) if is_not else inside

    word = "not BETWEEN" if is_not else "between"
    text = f"{value.within(ADDING)} {word} {least.within(ADDING)} AND {most.within(ADDING)}"
    return Meant(text, COMPARING, of)


def _is_null(value: Meant, is_not: bool) -> Meant:
    text = f"{value.within(ADDING)} {'IS not NULL' if is_not else 'is null'}"
    return Meant(text, COMPARING, lambda row, lenient: (value.of(row, lenient) is None) != is_not)


def _logic(parts: st.SearchStrategy[Meant]) -> st.SearchStrategy[Meant]:
    few = st.lists(parts, min_size=2, max_size=3)
    return st.one_of(
        few.map(_all_of),
        few.map(_any_of),
        parts.map(_negated),
        parts.map(_in_brackets),
        st.builds(compared, parts, st.sampled_from(("=", "<>")), parts),
    )


def _all_of(parts: list[Meant]) -> Meant:
    text = " AND ".join(part.within(AND) for part in parts)
    return Meant(text, AND, lambda row, lenient: _and([part.of(row, lenient) for part in parts]))


def _any_of(parts: list[Meant]) -> Meant:
    text = " or ".join(part.within(OR) for part in parts)
    return Meant(text, OR, lambda row, lenient: _not(_and([_not(part.of(row, lenient)) for part in parts])))


def _negated(part: Meant) -> Meant:
    return Meant(f"Not {part.within(NOT)}", NOT, lambda row, lenient: _not(part.of(row, lenient)))
