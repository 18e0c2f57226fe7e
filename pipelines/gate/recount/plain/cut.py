"""Which windows a plain replay can cut as kernels do."""

from pipelines.gate.recount.plain.aggregates import FUNCTIONS
from pipelines.gate.recount.plain.kinds import kinds
from pipelines.gate.recount.plain.roundings import TOLERANCES
from schemas.windows import Window

EXACT = FUNCTIONS - TOLERANCES.keys()


def not_cut_exactly(window: Window) -> str | None:
    """Why it can't: no walk of theirs is known, or an aggregate that cuts them isn't known, or is rounded. None where
    it can."""
    if window.kind not in kinds():
        return f"windows of the kind {window.kind}"
    functions = {each.function for each in window.reads.values()} | {getattr(window, "function", "count")}
    others = sorted(functions - EXACT)
    return f"windows that {', '.join(others)} cuts" if others else None
