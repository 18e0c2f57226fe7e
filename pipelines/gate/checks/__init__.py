"""The gate's checks: one file = one law, found by looking in this folder.

A check is a module with NAME, LAW (the sentence that it checks), CHECKS ("files", "silver" or "audit") and
`run(…) -> Verdict`, of LandedFiles, a SilverDay or a Recount. What they share is in `../recount/`.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

from pipelines.gate.recount.offending import does_not_apply
from pipelines.gate.recount.recount import Recount
from pipelines.gate.recount.silver import LandedFiles, SilverDay
from pipelines.ledger.verdicts import Verdict


def checks(of: str) -> list[ModuleType]:
    """The checks of "files", "silver" or "audit", by file name."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__")
    found = (import_module(f"{__name__}.{name}") for name in names)
    return [check for check in found if of == check.CHECKS]


def verdicts_on_files(files: LandedFiles) -> list[Verdict]:
    """What each check finds on landed files."""
    return [check.run(files) for check in checks("files")]


def verdicts_on_silver(silver: SilverDay) -> list[Verdict]:
    """What each check finds on an arrival day."""
    return [check.run(silver) for check in checks("silver")]


def verdicts_on_rows(recount: Recount) -> list[Verdict]:
    """What each law says of a run's rows. Which of them do not apply to some windows, the file of their kind states."""
    excepted = recount.windows.exceptions(recount.query)
    files = {law.__name__.rpartition(".")[2]: law for law in checks("audit")}
    return [
        does_not_apply(recount, law.NAME, excepted[file]) if file in excepted else law.run(recount)
        for file, law in files.items()
    ]
