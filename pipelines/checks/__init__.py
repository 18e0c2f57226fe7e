"""The gate's checks: one file = one check, found by looking in this folder.

A check is a module with NAME, LAW (the sentence that it checks), JUDGES ("silver" or "audit") and
`run(subject) -> Verdict`. `verdict.py` is what they answer; `recount/` what they share.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

NOT_CHECKS = ("__init__", "verdict")


def checks(judges: str) -> list[ModuleType]:
    """The checks of "silver" or "audit", by file name."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in NOT_CHECKS)
    found = (import_module(f"{__name__}.{name}") for name in names)
    return [check for check in found if judges == check.JUDGES]
