"""Whose step it is, and what it notes for the ledger while it runs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from windrow.pipelines import flow
from windrow.pipelines.engines.engine import Engine
from windrow.processes import signals
from windrow.schemas.errors import WindrowError

SNAPSHOT = "snapshot"
"""In the outputs of an ingest's step: the versions of the stream's tables that it left."""
TABLE, TABLES, VERSION = "table", "tables", "version"
"""In what is kept of a feature set's step: its table; digests of the tables of queries that were asked; the version
that was written."""
_STAGES = frozenset(stage.name for stage in (*flow.STAGES, flow.FEATURES))


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
class Stages:
    """The stages of the flow map that a step goes through, or the steps of several days together, each with the moment
    when it began; a step may come back to one. `page`: where the engine shows more."""

    begun: list[tuple[str, float]] = field(default_factory=list)
    page: str | None = None

    @property
    def name(self) -> str | None:
        """The stage that it is in."""
        return self.begun[-1][0] if self.begun else None

    def following(self, progress: Callable[[str], None]) -> Callable[[str], None]:
        """`progress`, but a stage of the flow map that begins is noted first."""

        def noted(text: str) -> None:
            if text in _STAGES:
                signals.raise_if_asked()
                self.begun.append((text, time.monotonic()))
            progress(text)

        return noted

    @contextmanager
    def working(self, engine: Engine, progress: Callable[[str], None]) -> Iterator[None]:
        """Show how far the engine's work on whatever stage it is has come, and note where it shows more."""
        with engine.reporting(lambda text: progress(f"{self.name}: {text}")):
            try:
                yield
            finally:
                self.page = engine.page

    def until_now(self) -> dict[str, float]:
        """Seconds by stage, in the order in which the step came to each for the first time."""
        seconds: dict[str, float] = {}
        ends = [*(began for _, began in self.begun[1:]), time.monotonic()]
        for (stage, began), end in zip(self.begun, ends, strict=False):
            seconds[stage] = seconds.get(stage, 0.0) + end - began
        return seconds


@dataclass
class LedgerEntry:
    """What a step notes while it runs; plain JSON values only, but for `verdicts`: what the gate found (verdicts.py).
    `validations`: by stage, files of the validation results that it made, below `Config.expectations`; `failed_in`,
    `came_to`: where the step ended badly, in which stage, and all that it had come to; `ended`: what happens to the
    steps of other days is nothing to it any more."""

    stages: Stages = field(default_factory=Stages)
    inputs: dict = field(default_factory=dict)
    outputs: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)
    kernel: str | None = None
    state: str = "done"
    message: str | None = None
    validations: dict[str, list[str]] = field(default_factory=dict)
    verdicts: list = field(default_factory=list)
    failed_in: str | None = None
    came_to: tuple[str, ...] = ()
    ended: bool = False

    def fail(self, error: BaseException) -> None:
        """Note why the step ended in the stage that it is in."""
        skipped, refused = (error.skipped, error.refused) if isinstance(error, WindrowError) else (False, False)
        self.state = "skipped" if skipped else "refused" if refused else "failed"
        self.failed_in, self.ended = self.stages.name, True
        self.came_to = tuple(self.stages.until_now())
        self.message = f"{type(error).__name__}: {error}"[:4_000]
