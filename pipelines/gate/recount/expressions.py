"""A query's expressions in DuckDB's SQL, with the meaning that schemas/expressions.py gives them.

What a replay refuses, an integer beyond int64, is null here: it never came to a row, and events that no replay has seen
must fail no statement.
"""

import duckdb

from windrow.pipelines.gate.recount import sql
from windrow.schemas.expressions import (
    AllOf,
    AnyOf,
    Arithmetic,
    ColumnValue,
    ComparedValues,
    Constant,
    Expression,
    IsNull,
    Not,
    Types,
)
from windrow.schemas.query import AggregatedValue

SIGNS = {"==": "=", "!=": "<>"}
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_NUMBERS = {**dict.fromkeys(_INTEGERS, "int64"), "DOUBLE": "float64", "FLOAT": "float64"}


def types_of(connection: duckdb.DuckDBPyConnection, relation: str) -> Types:
    """Of a relation's columns: numbers as expressions call them, others as DuckDB does."""
    found = connection.execute(f"DESCRIBE {relation}").fetchall()
    return {column: _NUMBERS.get(type_, type_) for column, type_, *_ in found}


def where(condition: Expression, relation: str, types: Types) -> str:
    """SQL: whether a condition is true of a relation's row; never null."""
    return f"coalesce({in_sql(condition, relation, types)}, FALSE)"


def aggregated(value: AggregatedValue, relation: str, types: Types) -> str:
    """SQL: what an aggregate reads of a relation's row; null where its filter isn't true."""
    found = in_sql(value.expression, relation, types)
    return found if value.where is None else f"CASE WHEN {in_sql(value.condition, relation, types)} THEN {found} END"


def in_sql(expression: Expression, relation: str, types: Types) -> str:
    """SQL: the value of an expression of a relation's row."""
    parts = [in_sql(part, relation, types) for part in expression.parts]
    match expression:
        case ColumnValue(name):
            return f"{relation}.{sql.name(name)}"
        case Constant(value):
            return f"CAST('{float(value)!r}' AS DOUBLE)" if isinstance(value, float) else sql.literal(value)
        case Arithmetic():
            return _arithmetic(expression, parts, is_float=_is_float(expression, types))
        case ComparedValues(left, sign, right):
            return _compared(parts, SIGNS.get(sign, sign), [_is_float(each, types) for each in (left, right)])
        case IsNull():
            return f"({parts[0]} IS NULL)"
        case Not():
            return f"(NOT {parts[0]})"
        case AllOf():
            return f"({' AND '.join(parts)})" if parts else "TRUE"
        case AnyOf():
            return f"({' OR '.join(parts)})" if parts else "FALSE"
    raise AssertionError(f"{expression!r} is no expression")


def _is_float(expression: Expression, types: Types) -> bool:
    return isinstance(expression, ColumnValue | Constant | Arithmetic) and expression.type_in(types) == "float64"


def _arithmetic(asked: Arithmetic, parts: list[str], is_float: bool) -> str:
    one, other = (f"CAST({part} AS {'DOUBLE' if is_float else 'HUGEINT'})" for part in parts)
    if asked.operator == "/":
        return f"({one} / nullif({other}, 0))"
    return f"({one} {asked.operator} {other})" if is_float else f"TRY_CAST({one} {asked.operator} {other} AS BIGINT)"


def _compared(parts: list[str], sign: str, are_floats: list[bool]) -> str:
    """Of an integer and a float: where the nearest float is that one, as integers."""
    left, right = parts
    if are_floats[0] == are_floats[1]:
        return f"({left} {sign} {right})"
    rounded = [
        part if is_float else f"CAST({part} AS DOUBLE)" for part, is_float in zip(parts, are_floats, strict=True)
    ]
    whole = [f"TRY_CAST({part} AS HUGEINT)" for part in parts]
    return (
        f"CASE WHEN {rounded[0]} <> {rounded[1]} THEN {rounded[0]} {sign} {rounded[1]} "
        f"ELSE {whole[0]} {sign} {whole[1]} END"
    )
