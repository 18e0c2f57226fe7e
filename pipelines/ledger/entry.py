"""Whose step it is, and what it notes for the ledger while it runs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from pipelines import flow
from pipelines.lake.engine import Engine
from processes import signals

_STAGES = frozenset(stage.name for stage in flow.STAGES)


class Run(NamedTuple):
    """Whose step it is. `query` and `day` are None for an ingest without a logical date."""

    run_id: str
    stream: str
    query: str | None = None
    day: date | None = None

    @property
    def identity(self) -> dict:
        """As columns of the ledger's tables."""
        return {"run_id": self.run_id, "stream": self.stream, "query": self.query, "logical_date": self.day}


@dataclass
class LedgerEntry:
    """What a step notes while it runs; plain JSON values only. `stages`: seconds by stage, without the time
    that the step has now been in `stage`; `validations`: files of the validation results that a stage made, below
    `Config.expectations`."""

    inputs: dict = field(default_factory=dict)
    outputs: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)
    kernel: str | None = None
    state: str = "done"
    message: str | None = None
    engine_page: str | None = None
    stages: dict[str, float] = field(default_factory=dict)
    validations: dict[str, list[str]] = field(default_factory=dict)
    stage: str | None = None
    stage_began: float = 0.0

    def following(self, progress: Callable[[str], None]) -> Callable[[str], None]:
        """`progress`, but a stage of the flow map that begins is noted first."""

        def noted(text: str) -> None:
            if text in _STAGES:
                self._begin(text)
            progress(text)

        return noted

    @contextmanager
    def working(self, engine: Engine, progress: Callable[[str], None]) -> Iterator[None]:
        """Show how far the engine's work on whatever stage it is has come, and note where it shows more."""
        with engine.reporting(lambda text: progress(f"{self.stage}: {text}")):
            try:
                yield
            finally:
                self.engine_page = engine.page

    def _begin(self, stage: str) -> None:
        signals.raise_if_asked()
        # A step may come back to a stage: an ingest looks at the landing folder again when a file changed meanwhile.
        self.stages = self.stage_seconds()
        self.stages.setdefault(stage, 0.0)
        self.stage, self.stage_began = stage, time.monotonic()

    def note_validations(self, results: list[str]) -> None:
        """Note validation results of the stage."""
        assert self.stage is not None, "a stage of the flow map validates"
        self.validations.setdefault(self.stage, []).extend(results)

    def stage_seconds(self) -> dict[str, float]:
        """Seconds by stage until now, in the order in which the step came to each for the first time."""
        if self.stage is None:
            return {}
        return {**self.stages, self.stage: self.stages[self.stage] + time.monotonic() - self.stage_began}
