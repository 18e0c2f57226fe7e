"""How far long work is: a bar on a terminal; in a log a line for each stage, and one every ten seconds.

A stage's line starts with `== `: the DAG's tasks make a section of their log of it. A text that begins with the
stage's name, as in `bronze: 3 file(s)`, is a detail of it: a line within the section, or another name of the bar.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from windrow.pipelines import compiled, flow
from windrow.pipelines.location import IN_A_CHECKOUT

# In a log: how often long work says that it goes on.
EVERY_S = 10.0
_DOES = {stage.name: stage.does for stage in flow.STAGES}


def _is_detail(text: str, stage: str | None) -> bool:
    return stage in _DOES and text.startswith(f"{stage}: ")


class StageLines:
    """For logs: a line for each stage that starts, and for its details; and how far it is, when asked."""

    def __init__(self) -> None:
        self.stage: str | None = None
        self.detail: str | None = None
        self.done = 0
        self.total: int | None = None
        self.began = monotonic()

    def go_on(self) -> None:
        """Say that the work goes on, and how far it is."""
        if self.stage is not None:
            done = f"{self.done:,} of {self.total:,}, " if self.total else ""
            _print(f"{self.detail or self.stage}: {done}{monotonic() - self.began:,.0f} s so far")

    def __call__(self, stage: str, done: int = 0, total: int | None = None) -> None:
        self.done, self.total = done, total
        if stage in (self.stage, self.detail):
            return
        if _is_detail(stage, self.stage):
            self.detail = stage
            _print(stage)
        else:
            self.stage, self.detail, self.began = stage, None, monotonic()
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
            for task in self.bars.tasks:
                self.bars.update(task.id, total=task.total or 1, completed=task.total or 1)
            self.tasks[stage] = self.bars.add_task(stage, total=total)
        self.bars.update(self.tasks[stage], completed=done, total=total)


@contextmanager
def repeated(every_s: float, action: Callable[[], None]) -> Iterator[None]:
    """Do something again and again, next to other work. The processes that parse lines are not forked from this one:
    none inherits a lock that this thread holds."""
    ended = Event()

    def repeat() -> None:
        while not ended.wait(every_s):
            action()

    Thread(target=repeat, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


@contextmanager
def progress() -> Iterator[StageLines | StageBars]:
    """A function (stage, done, total) that shows how far the work is."""
    console = Console(stderr=True)
    if not console.is_terminal:
        with repeated(EVERY_S, (lines := StageLines()).go_on):
            yield lines
        return
    text = TextColumn("{task.description}")
    columns = (SpinnerColumn(), text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        yield StageBars(bars)


@contextmanager
def progress_of_replays() -> Iterator[StageLines | StageBars]:
    """The same, once the kernels are compiled, on all cores; a checkout's set-up has done that."""
    with progress() as show:
        if not IN_A_CHECKOUT:
            compiled.ensure(show)
        yield show
