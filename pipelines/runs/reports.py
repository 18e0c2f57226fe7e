"""What became of the days of a run, for its caller."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from windrow.pipelines.ledger import verdicts
from windrow.pipelines.ledger.promises import Judgement
from windrow.schemas.errors import Superseded, WindrowError


@dataclass(frozen=True)
class DayReport:
    """What became of a day of a query. `rows` by table; `revisions`: those of the results that replace an earlier one
    of their window; `checks`: how many of the gate they passed; `superseded`: whether another run publishes the day;
    `note`: which that is, or why what was published is stale already. `versions` of the lake that were published, by
    table; `had_rows`: whether the day had any before; `promises`: what was found of the query's."""

    run_id: str
    query: str
    day: date
    rows: dict[str, int]
    note: str | None = None
    superseded: bool = False
    versions: dict[str, int] = field(default_factory=dict)
    revisions: int = 0
    checks: int = 0
    had_rows: bool = False
    promises: Sequence[Judgement] = ()

    @property
    def asset_events(self) -> dict[str, dict]:
        """What is new of each published table, in plain values; nothing, where the day has no rows and had none. The
        gate's verdict on what is published is one."""
        if not (self.had_rows or any(self.rows.values())):
            return {}
        verdict = {"checks": self.checks, "verdict": verdicts.PASSED}
        found = {
            table: {"day": str(self.day), "rows": self.rows[table], **verdict, "version": version}
            for table, version in self.versions.items()
        }
        if self.query in found:
            found[self.query]["revisions"] = self.revisions
            if self.promises:
                found[self.query]["promises"] = [{**each.plain, "day": str(each.day)} for each in self.promises]
        return found


class DayFailure(NamedTuple):
    """Why a day of a query was not published; day: None where it is all that were asked for."""

    query: str
    day: date | None
    error: WindrowError

    def __str__(self) -> str:
        return f"{self.query}{f' of {self.day}' if self.day else ''} was not published: {self.error}"


class Done(NamedTuple):
    """The reports of the days that were published, or only audited, and what kept the others from it."""

    reports: list[DayReport]
    failures: list[DayFailure]

    @property
    def failed(self) -> list[DayFailure]:
        """Days that were not published, by no run; first those of which something is wrong."""
        found = (each for each in self.failures if not isinstance(each.error, Superseded))
        return sorted(found, key=lambda each: each.error.skipped)

    def require(self) -> list[DayReport]:
        """The reports; raises what kept the first day from being published, if any. A day that another run publishes
        has a report too, whose `note` has which."""
        if self.failed:
            raise self.failed[0].error
        return self.reports


def asset_events_of(reports: Sequence[DayReport]) -> dict[str, dict]:
    """By table, what is new of each of its days that was published, in their order."""
    tables = dict.fromkeys(table for report in reports for table in report.asset_events)
    return {
        table: {"days": [each.asset_events[table] for each in reports if table in each.asset_events]}
        for table in tables
    }
