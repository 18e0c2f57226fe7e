"""How far long work is: a bar on a terminal, one line per stage in a log.

A stage's line starts with `== `: the DAG's tasks make a section of their log of it. A text that begins with the
stage's name, as in `bronze: 3 file(s)`, is a detail of it: a line within the section, or another name of the bar.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from pipelines import flow

if TYPE_CHECKING:
    from pipelines.runs.replay_day import DayReport

_DOES = {stage.name: stage.does for stage in flow.STAGES}


def _is_detail(text: str, stage: str | None) -> bool:
    return stage in _DOES and text.startswith(f"{stage}: ")


class StageLines:
    """For logs: a line for each stage that starts, and for its details."""

    def __init__(self) -> None:
        self.stage: str | None = None
        self.detail: str | None = None

    def __call__(self, stage: str, done: int = 0, total: int | None = None) -> None:
        if stage in (self.stage, self.detail):
            return
        if _is_detail(stage, self.stage):
            self.detail = stage
            _print(stage)
        else:
            self.stage, self.detail = stage, None
            _print(f"== {stage}: {_DOES[stage]}" if stage in _DOES else f"== {stage}")


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


class StageBars:
    """For terminals: one bar per stage."""

    def __init__(self, bars: Progress):
        self.bars = bars
        self.tasks: dict[str, TaskID] = {}
        self.stage: str | None = None

    def __call__(self, stage: str, done: int = 0, total: int | None = None) -> None:
        if self.stage is not None and _is_detail(stage, self.stage):
            self.bars.update(self.tasks[self.stage], description=stage)
            return
        self.stage = stage
        if stage not in self.tasks:
            self._finish()
            self.tasks[stage] = self.bars.add_task(stage, total=total)
        self.bars.update(self.tasks[stage], completed=done, total=total)

    def _finish(self) -> None:
        for task in self.bars.tasks:
            self.bars.update(task.id, total=task.total or 1, completed=task.total or 1)


@contextmanager
def progress() -> Iterator[StageLines | StageBars]:
    """A function (stage, done, total) that shows how far the work is."""
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


def counting(show: StageLines | StageBars) -> "Callable[[DayReport, int], None]":
    """Progress of days, for a function that reports each day when it is done and how many there are."""
    done = 0

    def count(report: "DayReport", days: int) -> None:
        nonlocal done
        done += 1
        show(f"days of {report.query}", done, days)

    return count
