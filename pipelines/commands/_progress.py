"""How far long work is: a bar on a terminal, one line per stage in a log.

A stage's line starts with `== `: the DAG's tasks make a section of their log of it.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from pipelines import flow

_DOES = {stage.name: stage.does for stage in flow.STAGES}


class StageLines:
    """For logs: says which stage starts."""

    def __init__(self):
        self.stage = None

    def __call__(self, stage: str, done: int = 0, total: int | None = None) -> None:
        if stage != self.stage:
            self.stage = stage
            print(
                f"== {stage}: {_DOES[stage]}" if stage in _DOES else f"== {stage}",
                file=sys.stderr,
                flush=True,
            )


class StageBars:
    """For terminals: one bar per stage."""

    def __init__(self, bars: Progress):
        self.bars, self.tasks = bars, {}

    def __call__(self, stage: str, done: int = 0, total: int | None = None) -> None:
        if stage not in self.tasks:
            self._finish()
            self.tasks[stage] = self.bars.add_task(stage, total=total)
        self.bars.update(self.tasks[stage], completed=done, total=total)

    def _finish(self) -> None:
        for task in self.bars.tasks:
            self.bars.update(task.id, total=task.total or 1, completed=task.total or 1)


@contextmanager
def progress() -> Iterator[StageLines | StageBars]:
    """A function (stage, done, total) to tell how far the work is."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield StageLines()
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        yield StageBars(bars)
