"""What the replays of a history have made: the truth that its tables are compared with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import NamedTuple


class Made(NamedTuple):
    """What one replay made of a day; `is_good`: the gate is to pass it."""

    mark: int
    query: str
    day: date
    run_id: str
    snapshot: str
    rows: int
    late_rows: int
    is_good: bool

    @property
    def figure(self) -> str:
        """What the gate says of it."""
        return f"{[self.mark] * self.rows} {[self.mark] * self.late_rows}"


@dataclass
class Replays:
    """All of a history, by mark. `share_bad`: of them the gate is to refuse."""

    chance: Random
    share_bad: float
    made: dict[int, Made] = field(default_factory=dict)

    def new(self, query: str, day: date, run_id: str, snapshot: str) -> Made:
        """Another one."""
        is_good = self.chance.random() >= self.share_bad
        rows, late_rows = self.chance.choice(((1, 1), (2, 1), (1, 0), (0, 1), (2, 2)))
        found = Made(len(self.made) + 1, query, day, run_id, snapshot, rows, late_rows, is_good)
        self.made[found.mark] = found
        return found

    def whole(self, query: str, day: date, marks: Sequence[int], late_marks: Sequence[int]) -> Made | None:
        """The replay of which a day has all rows and none else; None where there is none."""
        found = self.made.get(next(iter((*marks, *late_marks)), 0))
        if found is None or (found.query, found.day) != (query, day):
            return None
        is_whole = (len(marks), len(late_marks)) == (found.rows, found.late_rows) and {*marks, *late_marks} == {
            found.mark
        }
        return found if is_whole else None
