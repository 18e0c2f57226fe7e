"""What a law finds on some keys, by day: laws are per key, so that findings on all keys add up."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

# How many offending rows a verdict shows.
SHOWN = 10


class LawFinding(NamedTuple):
    """How many rows or events break the law, of how many (`counted`, by what they are), and the first of them."""

    broken: int
    counted: Mapping[str, int]
    rows: tuple[tuple, ...] = ()


def joined_by_day(findings: Iterable[Mapping[date, LawFinding]]) -> dict[date, LawFinding]:
    """The finding of each day on all keys, of findings on some keys of some days each."""
    of_days: dict[date, list[LawFinding]] = {}
    for each in findings:
        for day, finding in each.items():
            of_days.setdefault(day, []).append(finding)
    return {day: _joined(of_day) for day, of_day in of_days.items()}


def _joined(findings: Sequence[LawFinding]) -> LawFinding:
    counted: Counter[str] = Counter()
    for each in findings:
        counted.update(each.counted)
    rows = sorted((row for each in findings for row in each.rows), key=_nulls_last)
    return LawFinding(sum(each.broken for each in findings), counted, tuple(rows[:SHOWN]))


def _nulls_last(row: tuple) -> tuple:
    return tuple((value is None, "" if value is None else value) for value in row)
