"""The gate's checks: one file = one law, found by looking in this folder.

A check is a module whose docstring ends with the law that it checks, with NAME, CHECKS ("files", "silver", "audit",
"dependent" or "model") and `run`: of LandedFiles to a Verdict, or of SilverDays to one of each day. One of "audit", of
the audit of windows that are "dependent" on their key's other events, or of a "model"'s, is per key and has
`find(Recount)` to a LawFinding of each day on some keys, and `verdict(AuditedDays, LawFinding) -> Verdict` of one day
on all. What they share is in `../recount/`.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from importlib import import_module
from pathlib import Path
from types import ModuleType

from windrow.pipelines.gate.recount.finding import LawFinding, does_not_apply, joined_by_day
from windrow.pipelines.gate.recount.kinds import in_sql
from windrow.pipelines.gate.recount.query_days import AuditedDays, Recount
from windrow.pipelines.gate.recount.silver import SilverDays
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.schemas.model import Model

FoundByLaw = dict[str, dict[date, LawFinding]]
"""By the law's file and the day."""


def checks(of: str) -> list[ModuleType]:
    """The checks of "files", "silver", "audit", "dependent" or "model", by file name."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__")
    found = (import_module(f"{__name__}.{name}") for name in names)
    return [check for check in found if of == check.CHECKS]


def verdicts_on_silver(silver: SilverDays) -> dict[date, list[Verdict]]:
    found = [check.run(silver) for check in checks("silver")]
    return {day: [of_days[day] for of_days in found] for day in silver.days}


def find_in_rows(recount: Recount) -> FoundByLaw:
    """What each law finds on some keys of a run's rows."""
    excepted = _excepted(recount)
    return {file: law.find(recount) for file, law in _laws(recount).items() if file not in excepted}


def verdicts_on_rows(of: AuditedDays, found: Sequence[FoundByLaw]) -> dict[date, list[Verdict]]:
    """What each law says of a run's rows, from what it found on some keys of some days, and one window, at a time."""
    laws, excepted, notes = _laws(of), _excepted(of), _notes(of)
    asked = laws.keys() - excepted.keys()
    whole = {file: joined_by_day([each[file] for each in found if file in each]) for file in asked}
    verdicts: dict[date, list[Verdict]] = {}
    for day in of.days:
        of_day, found_then = replace(of, days=(day,)), {file: by_day[day] for file, by_day in whole.items()}
        verdicts[day] = [
            does_not_apply(of_day, law.NAME, excepted[file])
            if file in excepted
            else _noted(law.verdict(of_day, found_then[file]), notes.get(file, []))
            for file, law in laws.items()
        ]
    return verdicts


def _noted(verdict: Verdict, notes: Sequence[str]) -> Verdict:
    return replace(verdict, figure=f"{verdict.figure} ({'; '.join(notes)})") if notes else verdict


def _notes(of: AuditedDays) -> dict[str, list[str]]:
    """How far laws were looked at, by file, where that isn't all of them."""
    notes = {file: [f"of {len(of.parts)} windows together"] for file in _laws(of) if of.query.windows}
    for window in of.query.every_window:
        found = in_sql(window)
        not_to = {file: f"does not apply to {what}" for file, what in found.exceptions(of.query).items()}
        for file, note in {**found.limits, **not_to}.items():
            if note not in notes.setdefault(file, []):
                notes[file].append(note)
    return notes


def _laws(of: AuditedDays) -> dict[str, ModuleType]:
    laws = checks("audit")
    laws += [] if of.query.context_free else checks("dependent")
    laws += checks("model") if isinstance(of.query, Model) else []
    return {law.__name__.rpartition(".")[2]: law for law in laws}


def _excepted(of: AuditedDays) -> dict[str, str]:
    """Those that apply to no window."""
    first, *others = [in_sql(window).exceptions(of.query) for window in of.query.every_window]
    return {file: to for file, to in first.items() if all(file in each for each in others)}
