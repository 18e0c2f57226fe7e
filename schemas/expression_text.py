"""Texts of expressions: a small part of SQL.

    condition   NOT, AND, OR; = == <> != < <= > >=; [NOT] IN (…), [NOT] BETWEEN … AND …, IS [NOT] NULL
    value       + - * / and brackets; columns, in "double quotes" where their name is no plain word; 12, 1.5e3, 'text'
                ('' for a quote), TRUE, FALSE, NULL, TIMESTAMP '2018-08-01 06:40:33Z', DATE '2018-08-01'

Keywords may have any case. From loose to tight bind OR, AND, NOT, comparisons, + and -, * and /.
"""

import math
import re
from datetime import date
from functools import lru_cache
from typing import NamedTuple, NoReturn

from windrow.schemas.errors import WrongParameter
from windrow.schemas.expressions import (
    INT64,
    AllOf,
    AnyOf,
    Arithmetic,
    ColumnValue,
    ComparedValues,
    Constant,
    Expression,
    IsNull,
    Not,
    one_of,
)
from windrow.schemas.instants import read_time
from windrow.schemas.windows import EPOCH, MICROSECOND

MOST_CHARACTERS, MOST_OPERATORS = 10_000, 100
"""Of a text; and of operators of numbers, NOT and brackets in it, so that no tree is deeper."""
COMPARISONS = {"=": "==", "==": "==", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
LOOSEST, NEGATING, COMPARING, TIGHTEST = 1, 3, 4, 6
_STRENGTHS = {"OR": LOOSEST, "AND": 2, **dict.fromkeys((*COMPARISONS, "IS", "IN", "BETWEEN", "NOT"), COMPARING)}
_STRENGTHS |= {"+": 5, "-": 5, "*": TIGHTEST, "/": TIGHTEST}
"""How strongly operators bind."""
_KEYWORDS = {"AND", "OR", "NOT", "IN", "IS", "NULL", "BETWEEN", "TRUE", "FALSE"}
_TRUTHS = {"TRUE": True, "FALSE": False, "NULL": None}
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(
    r"""(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?) | (?P<text>'(?:[^']|'')*') | (?P<quoted>"(?:[^"]|"")+")
    | (?P<word>[^\W\d]\w*) | (?P<sign><=|>=|<>|!=|==|[-+*/()=<>,])""",
    re.VERBOSE,
)
_A_VALUE, _GOES_ON, _ANYTHING = "a value, a column or (", "an operator, AND, OR, or the end", "SQL and no such sign"


class Token(NamedTuple):
    """A word or a sign of a text, and at which character it begins, from 0 on. kind: "end" behind the last."""

    kind: str
    text: str
    place: int

    @property
    def keyword(self) -> str:
        """In capitals; nothing of what has quotes."""
        return self.text.upper() if self.kind in ("word", "sign") else ""


def value_of(text: str, parameter: str = "column") -> Expression:
    """A plain word is the column of that name, whatever the word; all else as `parse`."""
    return ColumnValue(text) if _PLAIN_NAME.fullmatch(text) else parse(text, parameter)


def text_of_column(name: str) -> str:
    """That `value_of` reads as the column of this name."""
    return name if _PLAIN_NAME.fullmatch(name) else '"' + name.replace('"', '""') + '"'


@lru_cache(maxsize=1 << 12)
def parse(text: str, parameter: str = "where") -> Expression:
    """The expression of a text. WrongParameter, with the place and what was expected there. O(characters)."""
    if len(text) > MOST_CHARACTERS:
        allowed = f"at most {MOST_CHARACTERS:,} characters, not {len(text):,}"
        raise WrongParameter(parameter, f"{text[:60]}…", allowed)
    reader = _Reader(text, parameter)
    found = reader.expression(LOOSEST)
    if reader.next.kind != "end":
        reader.expected(_GOES_ON)
    return found


class _Reader:
    """Reads a text from left to right; what binds as strongly as asked is one expression."""

    def __init__(self, text: str, parameter: str):
        self.text, self.parameter, self.operators = text, parameter, 0
        self.next = self._token(0)

    def expected(self, what: str, at: Token | None = None) -> NoReturn:
        at = at or self.next
        place = f"at character {at.place + 1}, before {self.text[at.place :][:20]!r}"
        raise WrongParameter(
            self.parameter, self.text, f"{what} {place if at.kind != 'end' else 'behind the last character'}"
        )

    def expression(self, least: int) -> Expression:
        """Of operators that bind at least so strongly."""
        left, is_compared = self._operand(least), False
        while (strength := _STRENGTHS.get(self.next.keyword, 0)) >= least:
            if is_compared and strength == COMPARING:
                self.expected("AND, OR, or the end")
            left, is_compared = self._joined(left, strength), strength == COMPARING
        return left

    def _joined(self, left: Expression, strength: int) -> Expression:
        if strength == COMPARING:
            return self._compared(left)
        operator = self._advance().keyword
        if strength > COMPARING:
            self._count()
            return Arithmetic(left, operator, self.expression(strength + 1))
        made = AllOf if operator == "AND" else AnyOf
        before = left.conditions if isinstance(left, made) else (left,)  # one level, however many there are
        return made((*before, self.expression(strength + 1)))

    def _compared(self, left: Expression) -> Expression:
        if operator := COMPARISONS.get(self.next.keyword):
            self._advance()
            return ComparedValues(left, operator, self._value())
        if self._take("IS"):
            is_not = self._take("NOT")
            self._require("NULL")
            return _negated(is_not, IsNull(left))
        is_not = self._take("NOT")
        if self._take("IN"):
            return _negated(is_not, one_of(left, self._list()))
        if not self._take("BETWEEN"):
            self.expected("IN or BETWEEN")
        least = self._value()
        self._require("AND")
        return _negated(is_not, AllOf((ComparedValues(left, ">=", least), ComparedValues(left, "<=", self._value()))))

    def _value(self) -> Expression:
        return self.expression(COMPARING + 1)

    def _list(self) -> list[Expression]:
        self._require("(")
        found = [self._value()]
        while self._take(","):
            found.append(self._value())
        self._require(")")
        return found

    def _operand(self, least: int) -> Expression:
        if least <= NEGATING and self._take("NOT"):
            self._count()
            return Not(self.expression(NEGATING))
        if self._take("-"):
            self._count()
            is_number = self.next.kind == "number"
            return Constant(self._number(-1)) if is_number else Arithmetic(Constant(-1), "*", self._operand(TIGHTEST))
        if self._take("("):
            self._count()
            inside = self.expression(LOOSEST)
            self._require(")")
            return inside
        return self._single()

    def _single(self) -> Expression:
        token = self.next
        if token.kind == "number":
            return Constant(self._number(1))
        if token.kind == "text":
            return Constant(_unquoted(self._advance().text))
        if token.kind == "quoted":
            return ColumnValue(_unquoted(self._advance().text))
        if token.keyword in _TRUTHS:
            return Constant(_TRUTHS[self._advance().keyword])
        if token.kind != "word" or token.keyword in _KEYWORDS:
            self.expected(_A_VALUE)
        self._advance()
        if self.next.kind == "text" and token.keyword in ("TIMESTAMP", "DATE"):
            return Constant(self._day() if token.keyword == "DATE" else self._instant())
        return ColumnValue(token.text)

    def _number(self, sign: int) -> int | float:
        token = self._advance()
        whole = token.text.isdecimal()
        value = sign * (int(token.text) if whole else float(token.text))
        if whole and not INT64[0] <= value <= INT64[1]:
            self.expected("an integer within int64, or a float such as 1e30,", token)
        if not math.isfinite(value):
            self.expected("a number within float64", token)
        return value

    def _instant(self) -> object:
        token = self._advance()
        try:
            return EPOCH + read_time(_unquoted(token.text)) * MICROSECOND
        except (ValueError, OverflowError) as wrong:
            return self.expected(f"a time such as '2018-08-01 06:40:33Z' ({wrong})", token)

    def _day(self) -> object:
        token = self._advance()
        try:
            return date.fromisoformat(_unquoted(token.text))
        except ValueError:
            return self.expected("a day such as '2018-08-01'", token)

    def _count(self) -> None:
        self.operators += 1
        if self.operators > MOST_OPERATORS:
            self.expected(f"the end: an expression has at most {MOST_OPERATORS} brackets, NOT, and + - * /,")

    def _take(self, keyword: str) -> bool:
        return self.next.keyword == keyword and bool(self._advance())

    def _require(self, keyword: str) -> None:
        if not self._take(keyword):
            self.expected(keyword)

    def _advance(self) -> Token:
        token = self.next
        self.next = self._token(token.place + len(token.text))
        return token

    def _token(self, place: int) -> Token:
        while self.text[place : place + 1].isspace():
            place += 1
        if place == len(self.text):
            return Token("end", "", place)
        if found := _TOKEN.match(self.text, place):
            return Token(str(found.lastgroup), found[0], place)
        wrong = Token("wrong", self.text[place], place)
        return self.expected("a closing quote" if self.text[place] in "'\"" else _ANYTHING, wrong)


def _negated(is_not: bool, condition: Expression) -> Expression:
    return Not(condition) if is_not else condition


def _unquoted(text: str) -> str:
    quote = text[0]
    return text[1:-1].replace(2 * quote, quote)
