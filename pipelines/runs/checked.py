"""What a stage of a step does with the verdicts on what it read or made."""

from collections.abc import Callable, Sequence

from pipelines.config import Config
from pipelines.gate.validation_results import index, page
from pipelines.ledger.entry import LedgerEntry
from pipelines.ledger.verdicts import Verdict

# A gate has two results; a line for each of hundreds of days would hide the rest of a log: the index is shown instead.
MOST_PAGES = 3


def note(config: Config, found: Sequence[tuple[LedgerEntry, list[Verdict]]], progress: Callable[[str], None]) -> None:
    """Note the validation results of steps in the ledger and, by their pages, in the log, with how many checks
    passed."""
    results: dict[str, None] = {}
    for entry, of_step in found:
        of_entry = dict.fromkeys(verdict.validation for verdict in of_step if verdict.validation)
        if of_entry:
            entry.note_validations(list(of_entry))
        results |= of_entry
    stage = found[0][0].stages.name
    pages = [page(config, result) for result in results] if len(results) <= MOST_PAGES else [index(config)]
    for shown in pages:
        progress(f"{stage}: validation results: {shown}, which `windrow report` makes")
    every = {id(verdict): verdict for _, of_step in found for verdict in of_step}.values()
    if every:
        progress(f"{stage}: {sum(verdict.passed for verdict in every)} of {len(every)} checks passed")
