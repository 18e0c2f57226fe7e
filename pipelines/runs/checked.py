"""What a stage of a step does with the verdicts on what it read or made."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pipelines.config import Config
from pipelines.gate.gate import failure
from pipelines.gate.validation_results import index, page
from pipelines.ledger.entry import LedgerEntry
from pipelines.ledger.verdicts import Verdict

# A gate has two results; a line for each of hundreds of days would hide the rest of a log.
MOST_PAGES = 3


def require(config: Config, found: list[Verdict], entry: LedgerEntry, progress: Callable[[str], None]) -> None:
    """As `note`; GateFailed where a check failed."""
    note(config, [(entry, found)], progress)
    if failed := failure(found):
        raise failed


def note(config: Config, found: Sequence[tuple[LedgerEntry, list[Verdict]]], progress: Callable[[str], None]) -> None:
    """Note the validation results of steps in the ledger and, by their pages, in the log, with how many checks
    passed."""
    for entry, of_step in found:
        if results := _results(of_step):
            entry.note_validations(results)
    stage = found[0][0].stages.name
    every = {id(verdict): verdict for _, of_step in found for verdict in of_step}.values()
    for shown in _pages(config, _results(every)):
        progress(f"{stage}: validation results: {shown}, which `windrow report` makes")
    if every:
        progress(f"{stage}: {sum(verdict.passed for verdict in every)} of {len(every)} checks passed")


def _results(verdicts: Iterable[Verdict]) -> list[str]:
    return list(dict.fromkeys(verdict.validation for verdict in verdicts if verdict.validation))


def _pages(config: Config, results: list[str]) -> list[Path]:
    """Of many days, as after a change of the look-back, the index."""
    return [page(config, result) for result in results] if len(results) <= MOST_PAGES else [index(config)]
