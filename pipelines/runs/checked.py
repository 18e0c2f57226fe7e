"""What a stage of a step does with the verdicts on what it read or made."""

from collections.abc import Callable
from pathlib import Path

from pipelines.config import Config
from pipelines.gate import gate
from pipelines.gate.validation_results import index, page
from pipelines.ledger.entry import LedgerEntry
from pipelines.ledger.verdicts import Verdict

# A gate has two results; a line for each of hundreds of days would hide the rest of a log.
MOST_PAGES = 3


def require(config: Config, found: list[Verdict], entry: LedgerEntry, progress: Callable[[str], None]) -> None:
    """Note the validation results in the ledger and, by their pages, in the log, with how many checks passed;
    GateFailed where a check failed."""
    results = list(dict.fromkeys(verdict.validation for verdict in found if verdict.validation))
    if results:
        entry.note_validations(results)
    for shown in _pages(config, results):
        progress(f"{entry.stage}: validation results: {shown}, which `windrow docs` makes")
    if found:
        passed = sum(verdict.passed for verdict in found)
        progress(f"{entry.stage}: {passed} of {len(found)} checks passed")
    gate.require(found)


def _pages(config: Config, results: list[str]) -> list[Path]:
    """Of many days, as after a change of the look-back, the index."""
    return [page(config, result) for result in results] if len(results) <= MOST_PAGES else [index(config)]
