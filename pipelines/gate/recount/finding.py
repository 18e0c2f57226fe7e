"""What a law finds on some of a day's keys: laws are per key, so that findings on all keys add up."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# How many offending rows a verdict shows.
SHOWN = 10


class LawFinding(NamedTuple):
    """How many rows or events break the law, of how many (`counted`, by what they are), and the first of them."""

    broken: int
    counted: Mapping[str, int]
    rows: tuple[tuple, ...] = ()


def joined(findings: Sequence[LawFinding]) -> LawFinding:
    """The finding on all keys of some findings on a part of them each."""
    counted: Counter[str] = Counter()
    for each in findings:
        counted.update(each.counted)
    rows = sorted((row for each in findings for row in each.rows), key=_nulls_last)
    return LawFinding(sum(each.broken for each in findings), counted, tuple(rows[:SHOWN]))


def _nulls_last(row: tuple) -> tuple:
    return tuple((value is None, "" if value is None else value) for value in row)
