"""The gate's checks: one file = one law, found by looking in this folder.

A check is a module with NAME, LAW (the sentence that it checks), CHECKS ("files", "silver", "audit" or "model") and
`run(…) -> Verdict`, of LandedFiles or a SilverDay; one of "audit", or of a "model"'s audit, is per key and has
`find(Recount) -> LawFinding` on some keys, and `verdict(AuditedDay, LawFinding) -> Verdict` on all. What they share is
in `../recount/`.
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from pipelines.gate.recount.finding import LawFinding, joined
from pipelines.gate.recount.kinds import in_sql
from pipelines.gate.recount.landed_files import LandedFiles
from pipelines.gate.recount.offending import does_not_apply
from pipelines.gate.recount.query_day import AuditedDay
from pipelines.gate.recount.recount import Recount
from pipelines.gate.recount.silver import SilverDay
from pipelines.ledger.verdicts import Verdict
from schemas.model import Model


def checks(of: str) -> list[ModuleType]:
    """The checks of "files", "silver", "audit" or "model", by file name."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__")
    found = (import_module(f"{__name__}.{name}") for name in names)
    return [check for check in found if of == check.CHECKS]


def verdicts_on_files(files: LandedFiles) -> list[Verdict]:
    """What each check finds on landed files."""
    return [check.run(files) for check in checks("files")]


def verdicts_on_silver(silver: SilverDay) -> list[Verdict]:
    """What each check finds on an arrival day."""
    return [check.run(silver) for check in checks("silver")]


def find_in_rows(recount: Recount) -> dict[str, LawFinding]:
    """What each law finds on some keys of a run's rows, by file."""
    excepted = _excepted(recount)
    return {file: law.find(recount) for file, law in _laws(recount).items() if file not in excepted}


def verdicts_on_rows(of: AuditedDay, found: Sequence[dict[str, LawFinding]]) -> list[Verdict]:
    """What each law says of a run's rows, from what it found on some keys at a time."""
    excepted, limits = _excepted(of), in_sql(of.query.window).limits
    return [
        does_not_apply(of, law.NAME, excepted[file])
        if file in excepted
        else _with_limit(law.verdict(of, joined([each[file] for each in found])), limits.get(file))
        for file, law in _laws(of).items()
    ]


def _with_limit(verdict: Verdict, limit: str | None) -> Verdict:
    """It says how far the law was looked at, where that isn't all of it."""
    return verdict if limit is None else replace(verdict, figure=f"{verdict.figure} ({limit})")


def _laws(of: AuditedDay) -> dict[str, ModuleType]:
    laws = [*checks("audit"), *(checks("model") if isinstance(of.query, Model) else [])]
    return {law.__name__.rpartition(".")[2]: law for law in laws}


def _excepted(of: AuditedDay) -> dict[str, str]:
    """Which laws do not apply to some windows, the file of their kind states."""
    return in_sql(of.query.window).exceptions(of.query)
