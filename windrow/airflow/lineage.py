"""What a task's command read and wrote, for Airflow's own provider of OpenLineage, which asks the operator: the command
writes its steps into a file instead of telling a backend itself."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.pipelines.ledger.openlineage import FILE, StepLineage, inputs, outputs, together

if TYPE_CHECKING:
    from airflow.providers.openlineage.extractors import OperatorLineage

_NAME = "lineage.jsonl"


def asked(folder: Path) -> dict[str, str]:
    """What the environment of a command says of the file in this folder; nothing without the provider."""
    return {FILE: str(folder / _NAME)} if find_spec("airflow.providers.openlineage") else {}


def read(folder: Path) -> list[StepLineage]:
    """The steps that ended, in their order."""
    file = folder / _NAME
    return [*map(StepLineage.of_json, file.read_text().splitlines())] if file.exists() else []


def of_steps(steps: list[StepLineage]) -> "OperatorLineage":
    """As the provider wants it: the rest of the event is its own."""
    from airflow.providers.openlineage.extractors import OperatorLineage

    read_tables, written = (
        together(each for step in steps for each in getattr(step, of)) for of in ("inputs", "outputs")
    )
    return OperatorLineage(inputs=inputs(read_tables), outputs=outputs(written))
