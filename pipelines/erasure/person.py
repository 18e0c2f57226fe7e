"""Whose events are erased: values of columns that the stream calls personal.

subscriber = 'a1b2'          caller = 47 OR receiver = 47          subscriber IN ('a1b2', 'c3d4')
"""

import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from windrow.pipelines.replay.expressions import rows_that_pass
from windrow.schemas import registry
from windrow.schemas.errors import WrongParameter
from windrow.schemas.expression_text import parse
from windrow.schemas.expressions import AnyOf, ColumnValue, ComparedValues, Constant, Expression
from windrow.schemas.stream import Stream
from windrow.schemas.validation import require_condition

WHERE = "--where"
# In JSON a letter of an escape is no part of a word: a line break, a quotation mark (U+20..); an escaped letter is one.
_BEGINS = r"(?:(?<![^\W_])|(?<=\\[nrt])|(?<=\\u20[0-9a-fA-F]{2}))"
_ENDS = r"(?![^\W_]|\\+u(?i:00[c-f]|0[1-9a-f]|1|[3-9a-d]))"
_CODE = re.compile(r"(?<=\\)u([0-9a-f]{4})")
_ALLOWED = "COLUMN = VALUE, COLUMN IN (VALUE, …), or several of these with OR between them"


@dataclass(frozen=True)
class Person:
    """values: by personal column, those that an event has one of."""

    stream: Stream
    condition: Expression
    values: dict[str, frozenset[str | int | float]]

    @property
    def hash(self) -> str:
        """What the ledger keeps of the condition."""
        return hashlib.sha256(str(self.condition).encode()).hexdigest()

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The values as lines have them."""
        values = [value for of_column in self.values.values() for value in of_column]
        return tuple(sorted({text for value in values for text in spellings(str(value))}))

    @cached_property
    def words(self) -> re.Pattern[str]:
        """Finds one of the values in a text, where it isn't a part of a longer word."""
        return re.compile(as_words(self.texts))

    @cached_property
    def trace(self) -> re.Pattern[str]:
        """Finds a text as a whole word, and a number behind its column's name, as JSON has it."""
        values = [value for of_column in self.values.values() for value in of_column]
        texts = [text for value in values if isinstance(value, str) for text in spellings(value)]
        parts = [as_words(texts)] if texts else []
        for column, of_column in self.values.items():
            if numbers := sorted(re.escape(str(value)) for value in of_column if not isinstance(value, str)):
                name = rf'"{re.escape(column)}\\?"'
                parts.append(rf"{name}\s*:\s*(?:{'|'.join(numbers)})(?![\w.])")
        return re.compile("|".join(parts))

    def is_theirs(self, rows: pa.Table) -> np.ndarray:
        """bool[rows]: whether each is an event of the person."""
        return rows_that_pass(rows, self.condition)


def spellings(text: str) -> set[str]:
    """A text as lines, logs and pages write it: as it is, in CSV, in JSON, in JSON within JSON, and in HTML."""
    once = {json.dumps(text, ensure_ascii=ascii)[1:-1] for ascii in (True, False)}
    twice = {json.dumps(each, ensure_ascii=ascii)[1:-1] for each in once for ascii in (True, False)}
    in_html = html.escape(text)
    pages = {in_html, in_html.replace("&quot;", "&#34;").replace("&#x27;", "&#39;")}
    found = {text, text.replace('"', '""'), *once, *twice, *pages}
    return found | {_CODE.sub(lambda code: f"u{code[1].upper()}", each) for each in found}


def as_words(texts: Iterable[str]) -> str:
    """A pattern of these texts, where they are no part of a longer word."""
    return f"{_BEGINS}(?:{'|'.join(map(re.escape, sorted(texts, key=len, reverse=True)))}){_ENDS}"


def person_of(given: str, stream_name: str | None) -> Person:
    """WrongParameter for a condition that is none of these forms, and for columns that no stream calls personal;
    UnknownName for the stream."""
    condition = parse(given, WHERE)
    values: dict[str, set] = {}
    for column, value in _equalities(given, condition):
        values.setdefault(column, set()).add(value)
    stream = _stream_of(tuple(values), stream_name)
    require_condition(WHERE, given, condition, {each.name: each.type for each in stream.columns})
    return Person(stream, condition, {column: frozenset(found) for column, found in values.items()})


def _equalities(given: str, condition: Expression) -> Iterator[tuple[str, str | int | float]]:
    if isinstance(condition, AnyOf):
        for part in condition.parts:
            yield from _equalities(given, part)
        return
    if not isinstance(condition, ComparedValues) or condition.operator != "==":
        raise WrongParameter(WHERE, given, _ALLOWED)
    column, constant = condition.parts
    if not isinstance(column, ColumnValue) or not isinstance(constant, Constant):
        raise WrongParameter(WHERE, given, _ALLOWED)
    value = constant.value
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise WrongParameter(WHERE, given, "a text or a number as VALUE")
    yield column.name, value


def _stream_of(columns: tuple[str, ...], name: str | None) -> Stream:
    streams = registry.streams()
    if name is not None:
        stream = registry.stream(name)
        for column in columns:
            if column not in stream.personal:
                declared = ", ".join(stream.personal) or "it has none yet: give a Column personal=True"
                raise WrongParameter(WHERE, column, f"a personal column of stream {name!r}: {declared}")
        return stream
    fitting = [stream for stream in streams.values() if {*columns} <= {*stream.personal}]
    if len(fitting) != 1:
        personal = (f"{stream.name}: {', '.join(stream.personal)}" for stream in streams.values() if stream.personal)
        known = ", ".join(personal) or "none is declared yet: give a Column personal=True"
        allowed = "--stream STREAM too, since several have these columns" if fitting else f"personal columns ({known})"
        raise WrongParameter(WHERE, ", ".join(columns), allowed)
    return fitting[0]
