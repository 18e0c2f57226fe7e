"""Random words of each column type, answers read as Python values, and when two answers agree."""

import math

from hypothesis import strategies as st

from tests.support.kernels.plain import FUNCTIONS
from windrow.kernels.monoid import SECOND, SHARE
from windrow.kernels.runtime.memory import as_float, as_word

SMALLEST, LARGEST = -(1 << 63), (1 << 63) - 1
FAILED = object()
INT64 = st.one_of(st.integers(-3, 3), st.integers(SMALLEST, LARGEST), st.sampled_from([SMALLEST, LARGEST]))
FLOATS = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0]), st.floats(-1e150, 1e150))
WORDS = {
    "": st.just(0),
    "int64": INT64,
    "timestamp": INT64,
    "date": st.integers(-1_000_000, 1_000_000),
    "bool": st.integers(0, 1),
    "string": st.integers(0, 99),
    "float64": FLOATS.map(as_word),
    SHARE: st.one_of(st.sampled_from([1.0, 0.5, 0.25]), st.floats(1e-12, 1.0)).map(as_word),
}


def value_of(word: int, kind: str):
    return as_float(word) if kind in ("float64", SHARE) else bool(word) if kind == "bool" else word


def kind_of(monoid, column_type: str, second_type: str) -> str:
    """Type of a monoid's result."""
    return second_type if monoid.output_type == SECOND else monoid.output_type or column_type


def rows_of(events: list[tuple], kind: str, second: str) -> list[tuple]:
    """(time, word, second word) as the rows that plain functions take."""
    return [
        (time, value_of(word, kind), *([value_of(other, second)] if second else [])) for time, word, other in events
    ]


def read_answer(lowered: tuple, kind: str):
    """(word, is_null, failed) as a value, None or FAILED."""
    word, is_null, failed = lowered
    return FAILED if failed else None if is_null else value_of(int(word), kind)


def plain_answer(function: str, rows: list[tuple], kind: str, parameters=()):
    """The plain function's value; FAILED where it has none, or one beyond its type."""
    try:
        found = FUNCTIONS[function](rows, **dict(parameters))
    except (ArithmeticError, ValueError):
        return FAILED
    beyond = kind == "int64" and found is not None and not SMALLEST <= found <= LARGEST
    return FAILED if beyond else found


def agree(function: str, got, wanted, rows: list[tuple]) -> bool:
    """Equal; floats up to rounding, which is relative to the values that went in."""
    if not isinstance(got, float) or not isinstance(wanted, float):
        return got is wanted or (got == wanted and FAILED not in (got, wanted))
    sizes = [abs(float(row[1])) for row in rows]
    largest = max(sizes, default=0.0)
    slack = {
        "sum": math.fsum(sizes) * 1e-9,
        "mean": largest * 1e-9,
        "variance": largest * largest * 1e-9,
        "std": largest * 1e-6,
        "product": 1e-300,
        "rate": largest * 1e-3,
    }.get(function, 0.0)
    return math.isclose(got, wanted, rel_tol=1e-9, abs_tol=slack)
